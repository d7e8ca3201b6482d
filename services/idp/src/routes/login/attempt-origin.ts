import type { FlowRecord } from "../../flow/flow-record.ts";
import type { PasswordAttempt } from "../../login/password-check.ts";
import { deviceDigest } from "../device-digest.ts";
import { languageTagOf, type Visit } from "../visit.ts";
import type { LoginDeps } from "./deps.ts";

/** Client and application of a flow, for its requests to the engine. */
export function attemptOrigin(
  { pages }: Pick<LoginDeps, "pages">,
  visit: Visit,
  flow: FlowRecord,
): Omit<PasswordAttempt, "username" | "password"> {
  const { request } = visit;
  const { "user-agent": userAgent, "accept-language": accepted } = request.headers;
  // Messages of policies appear on the page: in its language, if they exist in it.
  const tag = languageTagOf(pages, visit, flow);
  return {
    kind: flow.kind,
    clientId: flow.client?.id,
    clientIp: request.caller?.clientIp ?? "",
    userAgent,
    acceptLanguage: accepted === undefined ? tag : `${tag}, ${accepted}`,
    device: deviceDigest(pages, visit),
    hidesOutcome: flow.client?.delayedResponse === true,
  };
}
