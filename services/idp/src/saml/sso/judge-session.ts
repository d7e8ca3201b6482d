import { otherDomain } from "../../flow/flow-record.ts";
import { meetsDemands } from "../../second-factors/sign-in-demands.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import { contextClasses } from "../protocol/names.ts";
import type { Provider } from "../providers.ts";
import type { Comparison, RequestedContext } from "../xml/authn-request.ts";
import type { PendingRequest } from "./pending-requests-redis.ts";

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
  /** The user must sign in again or prove more; `reasons` are those that the page says. */
  | { readonly judgement: "sign_in"; readonly reasons: readonly string[] }
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
  {
    demands,
    isForOthers,
    nowSeconds,
  }: {
    readonly demands: Provider["demands"];
    /** The service provider is not for the domain of the account. */
    readonly isForOthers: boolean;
    readonly nowSeconds: number;
  },
): Judgement {
  const reasons = isForOthers ? [otherDomain] : [];
  const again: Judgement = pending.isPassive ? { judgement: "no_passive" } : { judgement: "sign_in", reasons };
  if (session === undefined || isForOthers || !isFresh(session, pending)) return again;
  const { amr } = session;
  const contextClass = contextClassOf(amr, pending.requestedContext);
  const lacksFactor = !meetsDemands(session, demands, nowSeconds);
  if (contextClass !== undefined && !lacksFactor) return { judgement: "fits", session, contextClass };
  if (contextClass === undefined && !wouldFactorHelp(amr, pending.requestedContext)) return { judgement: "no_context" };
  // A user who was sent to the sign-in pages has used the available factors and set up the demanded ones.
  return pending.hasAsked ? { judgement: "no_context" } : again;
}
