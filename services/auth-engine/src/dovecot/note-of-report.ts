import {
  type AuthPolicyEffect,
  type AuthPolicyLogin,
  type AuthPolicyResult,
  type AuthPolicyVerdict,
  normalisedProtocol,
} from "@postern/shared/contracts";
import type { DecisionNote } from "@postern/shared/domain/history";
import { Secret } from "@postern/shared/platform/crypto";
import { printable } from "@postern/shared/platform/logging";
import { type Ending, maxProgram } from "../history/note-of.ts";
import type { Attempt, RequestOnBus } from "../pipeline/attempt.ts";

/**
 * A sign-in that a mail server verifies, as brute-force protection and policies see it. `guess` identifies the password:
 * it is derived from its hash, and Postern never learns the password.
 */
export function reportedAttempt(login: AuthPolicyLogin, guess?: string, call?: RequestOnBus): Attempt {
  const { session, username, protocol, mechanism, clientIp, clientIpIsPeer, clientId, externalSessionId, tls } = login;
  return {
    session,
    operation: "authenticate",
    dialect: "auth_policy",
    username,
    password: guess === undefined ? undefined : new Secret(guess),
    protocol: normalisedProtocol(protocol),
    clientIp,
    tls,
    memoryCache: false,
    sharedCache: false,
    call,
    ...(clientIpIsPeer === true && { clientIpIsPeer }),
    ...(mechanism !== undefined && { method: mechanism }),
    ...(clientId !== undefined && { clientId }),
    ...(externalSessionId !== undefined && { externalSessionId }),
  };
}

function noteOfLogin(login: AuthPolicyLogin, ending: Ending, timeMs: number): DecisionNote {
  const { session, username, protocol, clientIp, clientId = "" } = login;
  const place = { username, protocol: normalisedProtocol(protocol), clientIp, session };
  return { ...ending, ...place, timeMs, channel: "mail_server", step: "", client: printable(clientId, maxProgram) };
}

/** A sign-in that was to be rejected, before the mail server verified its password. */
export function noteOfVerdict(login: AuthPolicyLogin, verdict: AuthPolicyVerdict, timeMs: number): DecisionNote {
  const { reason = "policy", rule = "" } = verdict;
  const isBan = reason === "ban";
  const ending: Ending = {
    outcome: isBan ? "blocked" : "denied",
    reason: isBan ? "banned" : reason,
    rule,
    account: undefined,
  };
  return noteOfLogin(login, ending, timeMs);
}

/** A sign-in that a mail server verified. Only its success shows that the account exists. */
export function noteOfReport(
  login: AuthPolicyResult,
  { effect, rule = "" }: AuthPolicyEffect,
  timeMs: number,
): DecisionNote {
  const { result, username } = login;
  if (effect === "banned")
    return noteOfLogin(login, { outcome: "blocked", reason: "banned", rule, account: undefined }, timeMs);
  if (result === "success")
    return noteOfLogin(login, { outcome: "ok", reason: "", rule: "", account: username }, timeMs);
  const denied = noteOfLogin(login, { outcome: "denied", reason: result, rule: "", account: undefined }, timeMs);
  return effect === "repeated" ? { ...denied, isRepeated: true } : denied;
}
