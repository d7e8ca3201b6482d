import type { AccountDomains } from "../../domains/account-domains.ts";
import { withAnyFactor } from "../../second-factors/sign-in-demands.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import { bindings, statusCodes } from "../protocol/names.ts";
import { SamlRefusal } from "../protocol/refusal.ts";
import type { Provider } from "../providers.ts";
import type { SamlCore } from "../saml-core.ts";
import { type AuthnRequest, readAuthnRequest } from "../xml/authn-request.ts";
import { checkHead } from "../xml/check-head.ts";
import { isNameIdKind, type NameIdKind, requestedKind } from "../xml/name-id.ts";
import type { ReadMessage } from "../xml/verify-message.ts";
import type { Answers, PostStep, ResolvedRequest } from "./answers.ts";
import { judgeSession } from "./judge-session.ts";
import type { PendingRequest, PendingRequests } from "./pending-requests-redis.ts";

/** The assertion consumer, which must be known from the configuration or metadata (ADR 0080). */
function acsUrlOf({ acsUrl, acsIndex, protocolBinding }: AuthnRequest, { consumers }: Provider): string {
  if (protocolBinding !== undefined && protocolBinding !== bindings.post) {
    throw new SamlRefusal("address", "only the POST binding is supported for assertions");
  }
  if (acsUrl !== undefined && acsIndex !== undefined)
    throw new SamlRefusal("address", "the request has both a URL and an index");
  const found = consumers.find(
    ({ url, index }) => (acsUrl === undefined || url === acsUrl) && (acsIndex === undefined || index === acsIndex),
  );
  if (found === undefined) throw new SamlRefusal("address", "no such assertion consumer service is configured");
  return found.url;
}

function kindOf(request: AuthnRequest, { config }: Provider, general: NameIdKind): NameIdKind | undefined {
  const kind = requestedKind(request.nameIdFormat);
  if (kind !== "any") return kind;
  return isNameIdKind(config.name_id_format) ? config.name_id_format : general;
}

/** Applies the configuration to a verified request. @throws SamlRefusal */
function acceptRequest(
  request: AuthnRequest,
  provider: Provider,
  relayState: string | undefined,
  general: NameIdKind,
): PendingRequest {
  const kind = kindOf(request, provider, general);
  const { requestedContext, loginHint } = request;
  return {
    entityId: provider.entityId,
    requestId: request.id,
    acsUrl: acsUrlOf(request, provider),
    isPassive: request.isPassive,
    forceAuthn: request.forceAuthn,
    hasAsked: false,
    ...(kind === undefined ? {} : { nameIdKind: kind }),
    ...(relayState === undefined ? {} : { relayState }),
    ...(requestedContext === undefined ? {} : { requestedContext }),
    ...(loginHint === undefined ? {} : { loginHint }),
  };
}

export type SsoStep =
  | PostStep
  /** The user must sign in first; the request is stored under this id. */
  | {
      readonly step: "sign_in";
      readonly provider: Provider;
      readonly id: string;
      readonly pending: PendingRequest;
      readonly reasons: readonly string[];
    }
  | { readonly step: "expired" };

/** What the service provider demands of the account that is signed in, and whether it is for another domain. */
async function rulesFor(domains: AccountDomains, session: BrowserSessionRecord | undefined, provider: Provider) {
  const { demands, limit } = provider;
  if (session === undefined) return { demands, isForOthers: false };
  const isRequired = await domains.requiresFactor(session.account);
  return {
    demands: isRequired ? withAnyFactor(demands) : demands,
    isForOthers: !(await domains.isWithin(session.account, limit)),
  };
}

export function createSso(core: SamlCore, answers: Answers, requests: PendingRequests) {
  const { settings, providers, replay, clock, sharedClock, domains } = core;
  /** Continues the request once, even if called concurrently. */
  const once = async (id: string, step: (pending: PendingRequest) => Promise<SsoStep>): Promise<SsoStep> => {
    const pending = await requests.take(id);
    return pending === undefined ? { step: "expired" } : step(pending);
  };
  const fail = (id: string, provider: Provider, detail: string, code: string = statusCodes.responder) =>
    once(id, (pending) => answers.fail({ pending, provider }, { code, detail }));

  const proceedWith = async (
    id: string,
    { pending: request, provider }: ResolvedRequest,
    session: BrowserSessionRecord | undefined,
  ): Promise<SsoStep> => {
    const judged = judgeSession(session, request, {
      ...(await rulesFor(domains, session, provider)),
      nowSeconds: Math.floor(sharedClock.now() / 1000),
    });
    switch (judged.judgement) {
      case "no_passive":
        return fail(id, provider, statusCodes.noPassive);
      case "no_context":
        return fail(id, provider, statusCodes.noAuthnContext);
      case "sign_in":
        return once(id, async (pending) => {
          // A new id, because each id identifies one flow of the pages.
          const next = await requests.save({ ...pending, hasAsked: true });
          return { step: "sign_in", provider, pending, id: next, reasons: judged.reasons };
        });
      case "fits":
        return once(id, (pending) => answers.succeed({ pending, provider }, judged));
    }
  };

  return {
    /** Verifies a request and stores it. @returns its id. @throws SamlRefusal */
    receive: async (read: ReadMessage<Provider>): Promise<string> => {
      const { root, sender: provider, isSigned, relayState } = read;
      const { addresses, saml } = settings();
      const head = checkHead(root, { destination: addresses.sso, nowMs: clock.now(), isSigned });
      const request = readAuthnRequest(root, head);
      const pending = acceptRequest(request, provider, relayState, saml.name_id_format);
      if (!(await replay.isFirst(provider.entityId, head.id)))
        throw new SamlRefusal("replayed", "the message was received before");
      return requests.save(pending);
    },
    /** Answers the request, or returns that the user must sign in. */
    proceed: async (id: string, session: BrowserSessionRecord | undefined): Promise<SsoStep> => {
      const pending = await requests.find(id);
      const provider = pending === undefined ? undefined : providers().find(pending.entityId);
      if (pending === undefined || provider === undefined) return { step: "expired" };
      if (pending.nameIdKind === undefined) {
        return fail(id, provider, statusCodes.invalidNameIdPolicy, statusCodes.requester);
      }
      if (pending.isCancelled === true) return fail(id, provider, statusCodes.authnFailed);
      return proceedWith(id, { pending, provider }, session);
    },
  };
}
