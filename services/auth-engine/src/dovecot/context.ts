import {
  type AuthPolicyEffect,
  type AuthPolicyLogin,
  type AuthPolicyResult,
  type AuthPolicyVerdict,
  authPolicyAllow,
  authPolicyReport,
  authPolicyReset,
  normalisedProtocol,
  type Reply,
  type Request,
} from "@postern/shared/contracts";
import type { BruteForceRecords } from "@postern/shared/domain/brute-force";
import type { DecisionWatches } from "@postern/shared/domain/decision-watch";
import type { Domain, Domains } from "@postern/shared/domain/domains";
import type { DecisionNote, HistoryRecorder } from "@postern/shared/domain/history";
import type { Bus, Serving } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import { AppError } from "@postern/shared/platform/errors";
import type { Logger } from "@postern/shared/platform/logging";
import { systemClock } from "@postern/shared/platform/time";
import type { BackendsByName } from "../backends/backends-by-name.ts";
import { createChosenNames } from "../brute-force/chosen-names.ts";
import type { LiveBruteForce } from "../brute-force/context.ts";
import { createGuessDigest } from "../brute-force/guess-digest.ts";
import type { DomainCounts } from "../domain-counts/domain-counts.ts";
import type { LiveDomains } from "../domains/context.ts";
import { placeName, withDomain } from "../domains/place-attempt.ts";
import type { Origins } from "../origins/origins.ts";
import type { CallContext } from "../pipeline/attempt.ts";
import type { Policies } from "../policy/policies.ts";
import type { Rollups } from "../rollups/rollups.ts";
import { createSuspensionCheck } from "../suspensions/is-suspended.ts";
import type { SuspensionsDep } from "../suspensions/refuse-suspended.ts";
import { createAllowLogin } from "./allow-login.ts";
import { noteOfReport, noteOfVerdict } from "./note-of-report.ts";
import { createReportLogin } from "./report-login.ts";

/** Operators reset one address or account after the other. */
const maxResets = 16;

/** Answers the bus methods `auth-engine.auth-policy-…`. */
export function serveDovecot(
  bus: Bus,
  dovecot: Dovecot,
  options: { readonly maxInFlight: number; readonly instance: string },
): readonly Serving[] {
  return [
    bus.serve(authPolicyAllow, dovecot.allow, options),
    bus.serve(authPolicyReport, dovecot.report, options),
    bus.serve(authPolicyReset, dovecot.reset, { ...options, maxInFlight: maxResets }),
  ];
}

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
export function makeDovecot(
  { storage }: Config,
  parts: {
    readonly bruteForce: LiveBruteForce | undefined;
    readonly rules: { readonly current: { readonly policies: Policies | undefined } };
    /** Absent while no history is recorded. */
    readonly history: HistoryRecorder | undefined;
    readonly watches: DecisionWatches;
    readonly suspensions: SuspensionsDep["suspensions"];
    readonly backendsByName: BackendsByName;
    readonly domains: Pick<LiveDomains, "current">;
    readonly rollups: Rollups;
    /** Absent without files that say where addresses are. */
    readonly origins: Origins | undefined;
    readonly domainCounts: Pick<DomainCounts, "reported">;
    readonly logger: Logger;
  },
) {
  const record = (note: DecisionNote, domain: Domain | undefined): void => {
    parts.history?.note(note);
    if (parts.watches.isWatched) parts.watches.note(note);
    parts.rollups.reported(note);
    parts.origins?.reported(note);
    parts.domainCounts.reported(note, domain);
  };
  const bruteForce = () => parts.bruteForce?.current;
  const suspension = createSuspensionCheck(parts, parts.backendsByName);
  const allow = createAllowLogin(bruteForce, () => parts.rules.current.policies, suspension);
  const report = createReportLogin(
    bruteForce,
    () => parts.bruteForce?.history,
    createGuessDigest(storage.redis.password_nonce),
    createChosenNames(systemClock, chosenNamesMs),
  );
  const reset = createResetCounts(() => parts.bruteForce?.records);
  return {
    allow: async (typed: AuthPolicyLogin, call: CallContext): Promise<AuthPolicyVerdict> => {
      const { login, domain } = await placeLogin(typed, parts.domains.current);
      // What a caller typed outside of its domains tells it nothing, not even that the account is suspended.
      const isOutside = typed.callerDomains !== undefined && domain?.isKnown !== true;
      const names = { typed: isOutside ? login.username : typed.username, domain };
      const verdict = verdictOfDomain(domain, login) ?? (await allow(login, call, names));
      // A sign-in that may proceed is reported afterwards.
      if (verdict.verdict === "reject") record(noteOfVerdict(login, verdict, systemClock.now()), domain);
      return withDomain(verdict, domain);
    },
    report: async (typed: AuthPolicyResult, call: CallContext): Promise<AuthPolicyEffect> => {
      const { login, domain } = await placeLogin(typed, parts.domains.current);
      const effect = await report(login, call);
      record(noteOfReport(login, effect, systemClock.now()), domain);
      return withDomain(effect, domain);
    },
    reset: async (request: Request<typeof authPolicyReset>) => {
      const found = request.username === undefined ? undefined : await parts.domains.current?.place(request.username);
      return reset(found === undefined ? request : { ...request, username: found.username });
    },
  };
}

export type Dovecot = ReturnType<typeof makeDovecot>;
