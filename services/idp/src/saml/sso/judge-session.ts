import type { BrowserSessionRecord } from "../../sessions/browser-session-port.ts";
import { contextClassOf, strengthOf, wouldFactorHelp } from "../outbound/authn-context.ts";
import type { Provider } from "../providers.ts";
import type { PendingRequest } from "./pending-requests.ts";

export type Judgement =
  | { readonly judgement: "fits"; readonly session: BrowserSessionRecord; readonly contextClass: string }
  /** The user must sign in, anew or further. */
  | { readonly judgement: "sign_in" }
  | { readonly judgement: "no_passive" }
  /** No sign-in of this user is what was asked for. */
  | { readonly judgement: "no_context" };

function needsFactor({ config }: Provider): boolean {
  const level = config.required_mfa_level;
  return config.require_mfa.length > 0 || (level !== "" && level !== "0");
}

function isFresh({ uid }: BrowserSessionRecord, { forceAuthn, signedInUid }: PendingRequest): boolean {
  return !forceAuthn || signedInUid === uid;
}

/** Whether a session is enough for a request, and what to do when it is not. */
export function judgeSession(
  session: BrowserSessionRecord | undefined,
  pending: PendingRequest,
  provider: Provider,
): Judgement {
  const again: Judgement = pending.isPassive ? { judgement: "no_passive" } : { judgement: "sign_in" };
  if (session === undefined || !isFresh(session, pending)) return again;
  const { amr } = session;
  const contextClass = contextClassOf(amr, pending.requestedContext);
  const lacksFactor = needsFactor(provider) && strengthOf(amr) < strengthOf(["mfa"]);
  if (contextClass !== undefined && !lacksFactor) return { judgement: "fits", session, contextClass };
  if (contextClass === undefined && !wouldFactorHelp(amr, pending.requestedContext)) return { judgement: "no_context" };
  // Whoever was asked and has shown no second factor has none.
  return pending.hasAsked ? { judgement: "no_context" } : again;
}
