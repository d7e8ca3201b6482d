import {
  type AuthPolicyEffect,
  type AuthPolicyLogin,
  type AuthPolicyResult,
  type AuthPolicyVerdict,
  type authPolicyReset,
  normalisedProtocol,
  type Reply,
  type Request,
} from "@postern/shared/contracts";
import type { BruteForceRecords } from "@postern/shared/domain/brute-force";
import type { Domain, Domains } from "@postern/shared/domain/domains";
import type { DecisionNote } from "@postern/shared/domain/history";
import { AppError } from "@postern/shared/platform/errors";
import { systemClock } from "@postern/shared/platform/time";
import { createGuessDigest } from "../brute-force/guess-digest.ts";
import { createChosenNames } from "../brute-force/write-limits.ts";
import type { EngineContext } from "../context.ts";
import { placeName, withDomain } from "../domains/place-attempt.ts";
import type { CallContext } from "../pipeline/attempt.ts";
import { createSuspensionCheck } from "../suspensions/is-suspended.ts";
import { createAllowLogin } from "./allow-login.ts";
import { noteOfReport, noteOfVerdict } from "./note-of-report.ts";
import { createReportLogin } from "./report-login.ts";

/** Names that may not exist are stored for about as long. */
const chosenNamesMs = 3_600_000;

/**
 * Removes the bans and counts of an address, and for an account its delay and the bans of the addresses that sent wrong
 * passwords for it.
 *
 * @throws AppError REDIS_UNAVAILABLE: a part may have been removed; the whole may be repeated.
 * @param records absent if `auth.controls.enabled` does not list brute-force protection.
 */
function createResetCounts(records: () => Pick<BruteForceRecords, "flush" | "flushAccount"> | undefined) {
  return async ({ address, username }: Request<typeof authPolicyReset>): Promise<Reply<typeof authPolicyReset>> => {
    const stored = records();
    if (stored === undefined) return { removed: 0 };
    try {
      const ofAddress = address === undefined ? [] : await stored.flush({ ipAddress: address, ruleName: "*" });
      const ofAccount = username === undefined ? [] : await stored.flushAccount(username);
      return { removed: ofAddress.length + ofAccount.length };
    } catch (cause) {
      throw cause instanceof AppError
        ? cause
        : new AppError("REDIS_UNAVAILABLE", { detail: "some keys could not be removed", cause });
    }
  };
}

/** The mail server decides which domains it serves; only a record can refuse one. */
function verdictOfDomain(domain: Domain | undefined, login: AuthPolicyLogin): AuthPolicyVerdict | undefined {
  if (domain?.isKnown !== true) return undefined;
  const { isEnabled, message, protocols } = domain;
  if (!isEnabled) return { verdict: "reject", reason: "domain", ...(message !== "" && { message }) };
  const isServed = protocols.size === 0 || protocols.has(normalisedProtocol(login.protocol));
  return isServed ? undefined : { verdict: "reject", reason: "domain" };
}

/**
 * The login with its name as its domain spells it. If the source of the records does not answer, the name as typed counts, except for a caller
 * that is limited to domains.
 */
async function placeLogin<Login extends AuthPolicyLogin>(
  login: Login,
  domains: Domains | undefined,
): Promise<{ readonly login: Login; readonly domain?: Domain }> {
  try {
    const found = await placeName(login.username, login, domains);
    return found === undefined ? { login } : { login: { ...login, username: found.username }, domain: found.domain };
  } catch (error) {
    if (login.callerDomains !== undefined) throw error;
    return { login };
  }
}

/** Evaluates and records sign-ins that mail servers verify, by the auth-policy protocol of Dovecot. */
export function makeDovecot(context: EngineContext) {
  const { bruteForce, rules, history, watches, domains, rollups, origins, domainCounts } = context;
  const record = (note: DecisionNote, domain: Domain | undefined): void => {
    history?.note(note);
    if (watches.isWatched) watches.note(note);
    rollups.reported(note);
    origins?.reported(note);
    domainCounts.reported(note, domain);
  };
  const protection = () => bruteForce?.current;
  const suspension = createSuspensionCheck(context, context.backendsByName);
  const allow = createAllowLogin(protection, () => rules.current.policies, suspension);
  const report = createReportLogin(
    protection,
    () => bruteForce?.history,
    createGuessDigest(context.passwordNonce),
    createChosenNames(systemClock, chosenNamesMs),
  );
  const reset = createResetCounts(() => bruteForce?.records);
  return {
    allow: async (typed: AuthPolicyLogin, call: CallContext): Promise<AuthPolicyVerdict> => {
      const { login, domain } = await placeLogin(typed, domains.current);
      // What a caller typed outside of its domains tells it nothing, not even that the account is suspended.
      const isOutside = typed.callerDomains !== undefined && domain?.isKnown !== true;
      const names = { typed: isOutside ? login.username : typed.username, domain };
      const verdict = verdictOfDomain(domain, login) ?? (await allow(login, call, names));
      // A sign-in that may proceed is reported afterwards.
      if (verdict.verdict === "reject") record(noteOfVerdict(login, verdict, systemClock.now()), domain);
      return withDomain(verdict, domain);
    },
    report: async (typed: AuthPolicyResult, call: CallContext): Promise<AuthPolicyEffect> => {
      const { login, domain } = await placeLogin(typed, domains.current);
      const effect = await report(login, call);
      record(noteOfReport(login, effect, systemClock.now()), domain);
      return withDomain(effect, domain);
    },
    reset: async (request: Request<typeof authPolicyReset>) => {
      const found = request.username === undefined ? undefined : await domains.current?.place(request.username);
      return reset(found === undefined ? request : { ...request, username: found.username });
    },
  };
}
