import type { AuthPolicyEffect, AuthPolicyLogin, AuthPolicyResult, AuthPolicyVerdict } from "@postern/shared/contracts";
import { normalisedProtocol } from "@postern/shared/contracts";
import type { DecisionNote } from "@postern/shared/domain/history";
import { printable } from "@postern/shared/platform/logging";
import { type Ending, maxProgram } from "../history/note-of.ts";

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
