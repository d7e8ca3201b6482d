import { meetsDemands } from "../../second-factors/sign-in-demands.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import { bindings, contextClasses, statusCodes } from "../protocol/names.ts";
import { SamlRefusal } from "../protocol/refusal.ts";
import type { Provider } from "../providers.ts";
import type { SamlCore } from "../saml-core.ts";
import { type AuthnRequest, type Comparison, type RequestedContext, readAuthnRequest } from "../xml/authn-request.ts";
import { checkHead } from "../xml/check-message.ts";
import { isNameIdKind, type NameIdKind, requestedKind } from "../xml/name-id.ts";
import type { ReadMessage } from "../xml/read-message.ts";
import type { Answers, PostStep, ResolvedRequest } from "./answers.ts";
import type { PendingRequest, PendingRequests } from "./pending-requests-redis.ts";

/** Classes by strength; those in one row are equivalent. */
const ladder: readonly (readonly string[])[] = [
  [contextClasses.unspecified],
  [contextClasses.password],
  [contextClasses.passwordProtected],
  [contextClasses.timeSync, contextClasses.refedsMfa],
];

const password = 2;
const secondFactor = 3;

function strengthOf(amr: readonly string[] | undefined): number {
  return amr?.includes("mfa") === true ? secondFactor : password;
}

function strengthOfClass(name: string): number {
  return ladder.findIndex((classes) => classes.includes(name));
}

function fits(requested: number, has: number, comparison: Comparison): boolean {
  if (requested < 0) return false;
  switch (comparison) {
    case "exact":
      // A stronger sign-in may be reported with the weaker class, because it included a password.
      return requested <= has;
    case "minimum":
      return has >= requested;
    case "better":
      return has > requested;
    case "maximum":
      return has <= requested;
  }
}

/** The class that the assertion names; undefined if the sign-in meets no requested class (saml-core §3.3.2.2.1). */
export function contextClassOf(
  amr: readonly string[] | undefined,
  requested: RequestedContext | undefined,
): string | undefined {
  const has = strengthOf(amr);
  const own = has === secondFactor ? contextClasses.refedsMfa : contextClasses.passwordProtected;
  if (requested === undefined || requested.classes.length === 0) return own;
  const { comparison, classes } = requested;
  const found = classes.find((name) => fits(strengthOfClass(name), has, comparison));
  if (found === undefined) return undefined;
  return comparison === "exact" ? found : own;
}

/** Whether the sign-in would meet a requested class with a second factor. */
function wouldFactorHelp(amr: readonly string[] | undefined, requested: RequestedContext | undefined): boolean {
  return strengthOf(amr) < secondFactor && contextClassOf(["mfa"], requested) !== undefined;
}

export type Judgement =
  | { readonly judgement: "fits"; readonly session: BrowserSessionRecord; readonly contextClass: string }
  /** The user must sign in again or prove more. */
  | { readonly judgement: "sign_in" }
  | { readonly judgement: "no_passive" }
  /** No sign-in of this user can meet the request. */
  | { readonly judgement: "no_context" };

function isFresh({ uid }: BrowserSessionRecord, { forceAuthn, signedInUid }: PendingRequest): boolean {
  return !forceAuthn || signedInUid === uid;
}

/** Whether a session is sufficient for a request, and what to do if it is not. */
export function judgeSession(
  session: BrowserSessionRecord | undefined,
  pending: PendingRequest,
  { demands, nowSeconds }: { readonly demands: Provider["demands"]; readonly nowSeconds: number },
): Judgement {
  const again: Judgement = pending.isPassive ? { judgement: "no_passive" } : { judgement: "sign_in" };
  if (session === undefined || !isFresh(session, pending)) return again;
  const { amr } = session;
  const contextClass = contextClassOf(amr, pending.requestedContext);
  const lacksFactor = !meetsDemands(session, demands, nowSeconds);
  if (contextClass !== undefined && !lacksFactor) return { judgement: "fits", session, contextClass };
  if (contextClass === undefined && !wouldFactorHelp(amr, pending.requestedContext)) return { judgement: "no_context" };
  // A user who was sent to the sign-in pages has used the available factors and set up the demanded ones.
  return pending.hasAsked ? { judgement: "no_context" } : again;
}

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
  | { readonly step: "sign_in"; readonly provider: Provider; readonly id: string; readonly pending: PendingRequest }
  /** The request was answered or has expired. */
  | { readonly step: "expired" };

export function createSso(core: SamlCore, answers: Answers, requests: PendingRequests) {
  const { settings, providers, replay, clock, sharedClock } = core;
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
      demands: provider.demands,
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
          return { step: "sign_in", provider, pending, id: next };
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
