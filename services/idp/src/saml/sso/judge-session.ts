import { meetsDemands } from "../../second-factors/sign-in-demands.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import type { Provider } from "../providers.ts";
import { contextClassOf, wouldFactorHelp } from "../xml/authn-context.ts";
import type { PendingRequest } from "./pending-requests-redis.ts";

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
