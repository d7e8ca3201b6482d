import type { Ban, RulePlace } from "@postern/shared/brute-force";
import { AppError } from "@postern/shared/errors";
import type { Clock } from "@postern/shared/time";
import type { Attempt } from "../pipeline/attempt.ts";
import { createBoundedMap } from "./bounded-map.ts";
import type { Counted, Guess, GuessStore, Target } from "./guess-store.ts";
import type { LocalStore } from "./local-store.ts";
import type { RedisGuard } from "./redis-guard.ts";
import type { BruteForceSettings } from "./settings.ts";

/** What the protection against guessing tells the steps after it: policies, logs. */
export interface BruteForceFacts {
  /** The rule whose ban stands. */
  rule?: string | undefined;
  /** This failure moved a counter. */
  counted: boolean;
  /** The same wrong password for the same account from the same network, again. */
  repeatedWrongPassword: boolean;
  /** Redis is away: local counters decide. */
  degraded: boolean;
  /** Failures from here whose account may soon sign in: its success must be told to Redis even when it is a cached one. */
  pending: boolean;
  /** Distinct wrong passwords for this account from this network. */
  accountPasswordsSeen: number;
  /** Distinct guesses (account and password) from this network. */
  totalPasswordsSeen: number;
}

/** The protection against guessing, as the pipeline uses it. */
export interface BruteForce {
  /**
   * Looks for a ban, in one round trip. Undefined: nothing is counted for this attempt.
   *
   * @throws AppError REDIS_UNAVAILABLE while Redis is away and the site wants temporary failures then.
   */
  check(attempt: Attempt): Promise<BruteForceFacts> | undefined;
  /** Counts a failure and writes the ban, atomically. Fills in `facts`. */
  countFailure(attempt: Attempt, accountKnown: boolean, facts: BruteForceFacts): Promise<void>;
  /** Learns from a success, unless a ban stands by now: `facts.rule` names it then. */
  recordSuccess(attempt: Attempt, account: string, facts: BruteForceFacts): Promise<void>;
}

/** What an operator learns of. */
export interface BruteForceEvents {
  blocked(rule: string): void;
  /** A failure was counted, or was a repetition. */
  failed(kind: "counted" | "repeated"): void;
  banned(attempt: Attempt, ban: Ban, counted: Counted): void;
  /** Redis did not answer this question. */
  degraded(question: "check" | "count" | "success"): void;
}

export interface BruteForceDeps {
  readonly settings: BruteForceSettings;
  readonly targetOf: (attempt: Attempt) => Target | undefined;
  readonly shared: GuessStore;
  readonly local: LocalStore;
  readonly guard: RedisGuard;
  readonly clock: Clock;
  readonly digest: (username: string, password: string) => string;
  /** Puts a ban where lists find it. */
  readonly index: (place: RulePlace, ban: Ban) => Promise<void>;
  /** Remembers where a known account was guessed from. */
  readonly remember: (target: Target) => Promise<void>;
  readonly events: BruteForceEvents;
}

function placeOf({ places }: Target, { rule }: Ban): RulePlace | undefined {
  return places.find((place) => place.rule.name === rule);
}

/** A ban that is met again is indexed again, so often and for so many. */
const reindexMs = 60_000;
const maxIndexed = 16_384;

function emptyFacts(): BruteForceFacts {
  return {
    counted: false,
    repeatedWrongPassword: false,
    degraded: false,
    pending: false,
    accountPasswordsSeen: 0,
    totalPasswordsSeen: 0,
  };
}

export function createBruteForce(deps: BruteForceDeps): BruteForce {
  const { settings, targetOf, shared, local, guard, events } = deps;
  const indexedAtMs = createBoundedMap<number>(maxIndexed);

  const undecided = (question: "check" | "count" | "success"): void => {
    events.degraded(question);
    if (settings.withoutRedis.mode === "tempfail") {
      throw new AppError("REDIS_UNAVAILABLE", { detail: "failures cannot be counted" });
    }
  };
  const noteBan = (target: Target, ban: Ban): void => {
    const place = placeOf(target, ban);
    if (place === undefined) return;
    local.note(place, ban);
    const now = deps.clock.now();
    if (now - (indexedAtMs.get(place.banKey) ?? 0) < reindexMs) return;
    indexedAtMs.set(place.banKey, now);
    // The engine that made it may have died before it was indexed.
    void deps.index(place, ban).catch(() => undefined);
  };
  const check = async (target: Target): Promise<BruteForceFacts> => {
    const facts = emptyFacts();
    const answer = await guard.run(() => shared.check(target));
    if (answer === undefined) undecided("check");
    const { ban, pending } = answer ?? (await local.check(target));
    if (answer !== undefined && ban !== undefined) noteBan(target, ban);
    if (answer !== undefined && ban === undefined && local.bans > 0) target.places.forEach(local.forget);
    facts.degraded = answer === undefined;
    facts.pending = pending;
    facts.rule = ban?.rule;
    if (ban !== undefined) events.blocked(ban.rule);
    return facts;
  };
  const countShared = async (target: Target, guess: Guess): Promise<Counted> => {
    // Sent in the same tick as the count; where it was guessed from is no part of the decision.
    if (guess.known) void deps.remember(target).catch(() => undefined);
    const counted = await shared.count(target, guess);
    const place = counted.ban === undefined ? undefined : placeOf(target, counted.ban);
    if (counted.isNew && counted.ban !== undefined && place !== undefined) await deps.index(place, counted.ban);
    return counted;
  };
  const fillIn = (facts: BruteForceFacts, { repeated, ban, ...seen }: Counted): void => {
    facts.counted = !repeated;
    facts.repeatedWrongPassword = repeated;
    facts.accountPasswordsSeen = seen.accountPasswordsSeen;
    facts.totalPasswordsSeen = seen.totalPasswordsSeen;
    facts.rule = ban?.rule;
  };

  return {
    check: (attempt) => {
      const target = targetOf(attempt);
      return target === undefined ? undefined : check(target);
    },
    countFailure: async (attempt, known, facts) => {
      const target = targetOf(attempt);
      if (target === undefined) return;
      const digest = deps.digest(attempt.username, attempt.password?.reveal() ?? "");
      const guess = { digest, known, toleration: settings.tolerationOf(target.source.address) };
      const answer = await guard.run(() => countShared(target, guess));
      if (answer === undefined) undecided("count");
      const counted = answer ?? (await local.count(target, guess));
      facts.degraded ||= answer === undefined;
      fillIn(facts, counted);
      events.failed(counted.repeated ? "repeated" : "counted");
      if (counted.isNew && counted.ban !== undefined) events.banned(attempt, counted.ban, counted);
    },
    recordSuccess: async (attempt, account, facts) => {
      const target = targetOf(attempt);
      if (target === undefined) return;
      const answer = await guard.run(async () => ({ ban: await shared.succeed(target, account) }));
      if (answer === undefined) undecided("success");
      const ban = answer === undefined ? await local.succeed(target, account) : answer.ban;
      if (answer !== undefined && ban === undefined) local.noteSuccess(target, account);
      facts.degraded ||= answer === undefined;
      facts.rule = ban?.rule;
      if (ban !== undefined) events.blocked(ban.rule);
    },
  };
}
