import type { Ban, RuleScope } from "@postern/shared/domain/brute-force";
import { AppError } from "@postern/shared/platform/errors";
import type { Clock } from "@postern/shared/platform/time";
import type { Attempt } from "../pipeline/attempt.ts";
import type { AccountDelays, AccountGuess, CountedGuess } from "./account-delays.ts";
import type { BruteForce, BruteForceFacts } from "./brute-force.ts";
import type { BruteForceSettings } from "./brute-force-settings.ts";
import type { LocalStore } from "./fallback/local-store.ts";
import type { RedisGuard } from "./redis-guard.ts";
import type {
  BanState,
  CountedAttempt,
  CountResult,
  Guess,
  RiskKeys,
  SharedStore,
  SuccessResult,
} from "./shared-store.ts";
import { createSharedSuccess, type SharedSuccess } from "./shared-success.ts";
import { type CountedSubjects, requestOf } from "./targets.ts";
import { createWriteThrottle, type WriteThrottle } from "./write-limits.ts";

/** Events for logs and metrics. */
export interface BruteForceEvents {
  blocked(rule: string): void;
  /** A failure was counted or was a repetition. */
  failed(kind: "counted" | "repeated"): void;
  banned(attempt: Attempt, ban: Ban, counted: CountResult): void;
  /** Redis did not answer this call. */
  degraded(operation: "check" | "count" | "success"): void;
}

export interface BruteForceDeps {
  readonly settings: BruteForceSettings;
  readonly targetOf: (attempt: Attempt) => CountedSubjects;
  /** What the check reads for the score of a sign-in; undefined for nothing. */
  readonly riskKeysOf?: ((attempt: Attempt) => RiskKeys | undefined) | undefined;
  /** The networks of an address under the rules; empty for anything but an address. */
  readonly scopesOf: (address: string) => readonly RuleScope[];
  readonly shared: SharedStore;
  readonly local: LocalStore;
  /** Absent if account delays are disabled. */
  readonly accountDelays: AccountDelays | undefined;
  readonly guard: Pick<RedisGuard, "run" | "isUnavailable">;
  /** The clock of Redis, which decides when bans end. */
  readonly clock: Clock;
  /** The clock in which deadlines are stated. */
  readonly deadlineClock: Clock;
  readonly digest: (username: string, password: string) => string;
  /** Adds a ban to the index that lists use. */
  readonly index: (scope: RuleScope, ban: Ban) => Promise<void>;
  /** Tells other regions about the bans of these networks; absent without regions. */
  readonly share?: ((target: CountedAttempt) => Promise<void>) | undefined;
  /** Records the addresses that sent wrong passwords for a known account, under the typed name and the account's own. */
  readonly remember: (target: CountedAttempt, account: string | undefined) => Promise<void>;
  readonly events: BruteForceEvents;
}

/** An answer of Redis, or of this process, which does not count accounts. */
interface CheckResult extends BanState, Pick<BruteForceFacts, "riskRead"> {
  readonly accountFailures?: number;
}

function scopeOf({ scopes }: CountedAttempt, { rule }: Ban): RuleScope | undefined {
  return scopes.find((scope) => scope.rule.name === rule);
}

/** Interval in which harmless repeated writes are skipped. */
const reindexMs = 60_000;
const rememberMs = 60_000;

function factsOf({ target, account }: CountedSubjects, found: CheckResult): BruteForceFacts {
  return {
    target,
    account,
    accountFailures: found.accountFailures ?? 0,
    accountDelayMs: 0,
    counted: false,
    repeatedWrongPassword: false,
    degraded: found.accountFailures === undefined,
    rule: undefined,
    retryAfterSeconds: undefined,
    pending: found.pending,
    riskRead: found.riskRead,
    accountPasswordsSeen: 0,
    totalPasswordsSeen: 0,
  };
}

function applyBan(facts: BruteForceFacts, ban: Ban | undefined, clock: Clock): void {
  facts.rule = ban?.rule;
  if (ban !== undefined) facts.retryAfterSeconds = Math.max(1, Math.ceil((ban.expiresAtMs - clock.now()) / 1000));
}

function fillIn(facts: BruteForceFacts, counted: CountResult): void {
  facts.counted = !counted.repeated;
  facts.repeatedWrongPassword = counted.repeated;
  facts.accountPasswordsSeen = counted.accountPasswordsSeen;
  facts.totalPasswordsSeen = counted.totalPasswordsSeen;
}

/** Remembers a ban from Redis for an outage, and adds it to the index. */
function createBanKeeper({ local, index, clock }: BruteForceDeps) {
  const throttle = createWriteThrottle(clock, reindexMs);
  return (target: CountedAttempt, ban: Ban | undefined): void => {
    const scope = ban === undefined ? undefined : scopeOf(target, ban);
    if (ban !== undefined && scope !== undefined) {
      local.keepBan(scope, ban);
      // The engine that created the ban may have died before it added it to the index.
      if (throttle.takeIfDue(scope.banKey)) void index(scope, ban).catch(() => undefined);
    } else if (local.bans > 0) for (const { banKey } of target.scopes) local.dropBan(banKey);
  };
}

/** Counts in Redis, together with keys in other slots. Undefined if Redis could not count this failure. */
function createSharedCount({ shared, guard, index, share, remember }: BruteForceDeps, throttle: WriteThrottle) {
  return async (target: CountedAttempt, guess: Guess): Promise<CountResult | undefined> => {
    // Sent in the same tick as the count; the scope of the guess does not affect the decision.
    const due =
      !guard.isUnavailable && guess.known && throttle.takeIfDue(`${target.source.address} ${target.username}`);
    if (due) void remember(target, guess.account).catch(() => undefined);
    let counted: CountResult | undefined;
    try {
      counted = await shared.count(target, guess);
    } catch {
      return undefined;
    }
    const ban = counted?.isNew === true ? counted.ban : undefined;
    const scope = ban === undefined ? undefined : scopeOf(target, ban);
    if (ban === undefined || scope === undefined) return counted;
    // If this engine dies first, other regions still know the count, and ban at their next failure.
    void share?.(target).catch(() => undefined);
    // A ban applies even if it is missing in the index; the next engine that meets it adds it.
    await guard.run(() =>
      Promise.all([index(scope, ban), guess.known && !due ? remember(target, guess.account) : undefined]),
    );
    return counted;
  };
}

/** Applies an answer, whichever store it comes from. */
function createFindings({ settings, events, clock }: BruteForceDeps) {
  const undecided = (operation: "check" | "count" | "success"): void => {
    events.degraded(operation);
    if (settings.withoutRedis.mode === "tempfail") {
      throw new AppError("REDIS_UNAVAILABLE", { detail: "failures cannot be counted" });
    }
  };
  const checked = (counting: CountedSubjects, found: CheckResult): BruteForceFacts => {
    const { ban } = found;
    const facts = factsOf(counting, found);
    applyBan(facts, ban, clock);
    if (ban !== undefined) events.blocked(ban.rule);
    return facts;
  };
  const counted = (attempt: Attempt, found: CountResult, facts: BruteForceFacts): void => {
    fillIn(facts, found);
    applyBan(facts, found.ban, clock);
    events.failed(found.repeated ? "repeated" : "counted");
    if (found.isNew && found.ban !== undefined) events.banned(attempt, found.ban, found);
  };
  const succeeded = ({ ban }: SuccessResult, facts: BruteForceFacts): void => {
    applyBan(facts, ban, clock);
    if (ban !== undefined) events.blocked(ban.rule);
  };
  return { undecided, checked, counted, succeeded };
}

const noBan: BanState = { ban: undefined, pending: false };

/** Counts a failure for its network, if it has one. */
function createNetworkCount(deps: BruteForceDeps, remembered: WriteThrottle) {
  const { settings, local } = deps;
  const { undecided, counted } = createFindings(deps);
  const countShared = createSharedCount(deps, remembered);
  return async (attempt: Attempt, facts: BruteForceFacts, guess: Omit<Guess, "toleration">): Promise<void> => {
    const { target } = facts;
    if (target === undefined) return;
    const { digest, known, account, request } = guess;
    const toleration = settings.tolerationOf(target.source.address);
    const guessed: Guess = { digest, known, account, request, toleration };
    const answer = await countShared(target, guessed);
    if (answer !== undefined) return counted(attempt, answer, facts);
    facts.degraded = true;
    undecided("count");
    counted(attempt, local.count(target, guessed), facts);
  };
}

/** Counts a failure for its account; without a client address nothing else is counted. */
function createAccountCount({ accountDelays, events }: BruteForceDeps) {
  return async (
    facts: BruteForceFacts,
    { digest, isKnown, account }: Pick<AccountGuess, "digest" | "isKnown" | "account">,
  ): Promise<void> => {
    const { account: target, accountFailures: failuresBefore } = facts;
    if (accountDelays === undefined || target === undefined) return;
    const asksIfNew = facts.target === undefined;
    let found: CountedGuess | undefined;
    try {
      found = await accountDelays.count({ target, digest, isKnown, account, failuresBefore, asksIfNew });
    } catch {
      events.degraded("count");
    }
    if (found === undefined) return;
    facts.accountDelayMs = found.accountDelayMs;
    if (facts.target !== undefined) return;
    facts.counted = found.isNew;
    facts.repeatedWrongPassword = !found.isNew;
    facts.accountPasswordsSeen = found.failures;
    facts.totalPasswordsSeen = found.failures;
    events.failed(found.isNew ? "counted" : "repeated");
  };
}

function createRecordSuccess(deps: BruteForceDeps, recordShared: SharedSuccess): BruteForce["recordSuccess"] {
  const { settings, local, accountDelays } = deps;
  const { undecided, succeeded } = createFindings(deps);
  return async (account, facts) => {
    const { target, account: own } = facts;
    let isNoted = false;
    if (target !== undefined) {
      const toleration = settings.tolerationOf(target.source.address);
      const note = own && accountDelays?.noteOf(account, own);
      const answer = await recordShared.record(target, account, facts.pending, note);
      if (answer === undefined) {
        facts.degraded = true;
        undecided("success");
        return succeeded(local.succeed(target, account, toleration), facts);
      }
      if (answer.ban === undefined) local.noteSuccess(target, account);
      succeeded(answer, facts);
      isNoted = answer.isNoted === true;
    }
    if (facts.rule === undefined && own !== undefined) accountDelays?.noteSignIn(account, own, isNoted);
  };
}

export function createBruteForce(deps: BruteForceDeps): BruteForce {
  const { targetOf, shared, local, accountDelays } = deps;
  const { undecided, checked } = createFindings(deps);
  const noteBan = createBanKeeper(deps);
  const remembered = createWriteThrottle(deps.clock, rememberMs);
  const recordShared = createSharedSuccess(deps);
  const countAtNetwork = createNetworkCount(deps, remembered);
  const countAtAccount = createAccountCount(deps);

  return {
    check: async (attempt) => {
      const counting = targetOf(attempt);
      const { target, account } = counting;
      if (target === undefined && account === undefined) return undefined;
      const answer = await shared.check(target, account, deps.riskKeysOf?.(attempt));
      if (answer === undefined) {
        undecided("check");
        return checked(counting, target === undefined ? noBan : local.check(target));
      }
      if (target !== undefined) noteBan(target, answer.ban);
      return checked(counting, answer);
    },
    countFailure: async (attempt, { isKnown, isPassword, sparesNetwork = false, account }, facts) => {
      const request = requestOf(attempt, deps.deadlineClock);
      const digest = deps.digest(attempt.username, attempt.password?.reveal() ?? "");
      // Both are sent in this tick, in one write.
      await Promise.all([
        sparesNetwork ? undefined : countAtNetwork(attempt, facts, { digest, known: isKnown, account, request }),
        isPassword ? countAtAccount(facts, { digest, isKnown, account }) : undefined,
      ]);
    },
    recordSuccess: createRecordSuccess(deps, recordShared),
    determineDelay: async (account, facts) => {
      if (facts.target !== undefined) shared.keep(facts.target);
      if (accountDelays === undefined || facts.account === undefined) return;
      facts.accountDelayMs = await accountDelays.ofSuccess(account, facts.account, facts.accountFailures);
    },
    keepBan: (ban) => {
      const [address = ""] = ban.network.split("/");
      const scope = deps
        .scopesOf(address)
        .find(({ rule, network }) => rule.name === ban.rule && network === ban.network);
      if (scope === undefined) return;
      local.keepBan(scope, ban);
      shared.forget([scope]);
    },
    flush: ({ addresses, rules }) => {
      // A flush by account also deletes the addresses that were remembered for it.
      remembered.clear();
      recordShared.forget();
      for (const address of addresses) {
        const scopes = deps.scopesOf(address).filter(({ rule }) => rules.includes(rule.name));
        for (const scope of scopes) local.flush(scope);
        shared.forget(scopes);
      }
    },
  };
}
