import type { FlowRecord } from "../../flow/flow-record.ts";
import type { PasswordAttempt } from "../../login/password-check.ts";
import type { Visit } from "../visit.ts";

/** Client and application of a flow, for its requests to the engine. */
export function attemptOrigin({ request }: Visit, flow: FlowRecord): Omit<PasswordAttempt, "username" | "password"> {
  const { "user-agent": userAgent, "accept-language": acceptLanguage } = request.headers;
  return {
    kind: flow.kind,
    clientId: flow.client?.id,
    clientIp: request.caller?.clientIp ?? "",
    userAgent,
    acceptLanguage,
    hidesOutcome: flow.client?.delayedResponse === true,
  };
}
