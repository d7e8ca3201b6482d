import type { Ban, RulePlace } from "@postern/shared/brute-force";
import { AppError } from "@postern/shared/errors";
import type { Clock } from "@postern/shared/time";
import type { Attempt } from "../pipeline/attempt.ts";
import { createBoundedMap } from "./bounded-map.ts";
import type { BruteForce, BruteForceFacts } from "./brute-force.ts";
import type { Counted, Guess, GuessStore, Target } from "./guess-store.ts";
import type { LocalStore } from "./local-store.ts";
import type { RedisGuard } from "./redis-guard.ts";
import type { BruteForceSettings } from "./settings.ts";

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
  /** Where the rules put an address; none for what is no address. */
  readonly placesOf: (address: string) => readonly RulePlace[];
  readonly shared: GuessStore;
  readonly local: LocalStore;
  readonly guard: RedisGuard;
  readonly clock: Clock;
  readonly digest: (username: string, password: string) => string;
  /** Puts a ban where lists find it. */
  readonly index: (place: RulePlace, ban: Ban) => Promise<void>;
  /** Remembers where a known account was guessed from, by the name that was typed and by the account's own. */
  readonly remember: (target: Target, account: string | undefined) => Promise<void>;
  readonly events: BruteForceEvents;
}

function placeOf({ places }: Target, { rule }: Ban): RulePlace | undefined {
  return places.find((place) => place.rule.name === rule);
}

/** Writes that are repeated without harm are left out for so long, and for so many. */
const reindexMs = 60_000;
const rememberMs = 10_000;
const maxNotes = 16_384;

/** Whether so much time has passed since the last time. */
function createEvery(clock: Clock, everyMs: number): (key: string) => boolean {
  const lastMs = createBoundedMap<number>(maxNotes);
  return (key) => {
    const now = clock.now();
    if (now - (lastMs.get(key) ?? 0) < everyMs) return false;
    lastMs.set(key, now);
    return true;
  };
}

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

function fillIn(facts: BruteForceFacts, counted: Counted): void {
  facts.counted = !counted.repeated;
  facts.repeatedWrongPassword = counted.repeated;
  facts.accountPasswordsSeen = counted.accountPasswordsSeen;
  facts.totalPasswordsSeen = counted.totalPasswordsSeen;
  facts.rule = counted.ban?.rule;
}

/** A ban that Redis holds is remembered for when Redis is away, and indexed by whoever meets it. */
function createBanNotes({ local, index, clock }: BruteForceDeps) {
  const isDue = createEvery(clock, reindexMs);
  return (target: Target, ban: Ban | undefined): void => {
    const place = ban === undefined ? undefined : placeOf(target, ban);
    if (ban !== undefined && place !== undefined) {
      local.note(place, ban);
      // The engine that made it may have died before it was indexed.
      if (isDue(place.banKey)) void index(place, ban).catch(() => undefined);
    } else if (local.bans > 0) for (const { banKey } of target.places) local.forget(banKey);
  };
}

/** Counts in Redis, with what lies in other slots beside it. */
function createSharedCount({ shared, index, remember, clock }: BruteForceDeps) {
  const isDue = createEvery(clock, rememberMs);
  return async (target: Target, guess: Guess): Promise<Counted> => {
    // Sent in the same tick as the count; where it was guessed from is no part of the decision.
    const due = guess.known && isDue(`${target.source.address} ${target.username}`);
    if (due) void remember(target, guess.account).catch(() => undefined);
    const counted = await shared.count(target, guess);
    const { isNew, ban } = counted;
    const place = ban === undefined ? undefined : placeOf(target, ban);
    if (isNew && ban !== undefined && place !== undefined) {
      await Promise.all([index(place, ban), guess.known && !due ? remember(target, guess.account) : undefined]);
    }
    return counted;
  };
}

export function createBruteForce(deps: BruteForceDeps): BruteForce {
  const { settings, targetOf, shared, local, guard, events } = deps;
  const noteBan = createBanNotes(deps);
  const countShared = createSharedCount(deps);

  const undecided = (question: "check" | "count" | "success"): void => {
    events.degraded(question);
    if (settings.withoutRedis.mode === "tempfail") {
      throw new AppError("REDIS_UNAVAILABLE", { detail: "failures cannot be counted" });
    }
  };
  const check = async (target: Target): Promise<BruteForceFacts> => {
    const answer = await guard.run(() => shared.check(target));
    if (answer === undefined) undecided("check");
    else noteBan(target, answer.ban);
    const { ban, pending } = answer ?? (await local.check(target));
    if (ban !== undefined) events.blocked(ban.rule);
    return { ...emptyFacts(), rule: ban?.rule, pending, degraded: answer === undefined };
  };

  return {
    check: (attempt) => {
      const target = targetOf(attempt);
      return target === undefined ? undefined : check(target);
    },
    countFailure: async (attempt, { isKnown: known, account }, facts) => {
      const target = targetOf(attempt);
      if (target === undefined) return;
      const digest = deps.digest(attempt.username, attempt.password?.reveal() ?? "");
      const guess = { digest, known, account, toleration: settings.tolerationOf(target.source.address) };
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
      const toleration = settings.tolerationOf(target.source.address);
      const answer = await guard.run(async () => ({ ban: await shared.succeed(target, account, toleration) }));
      if (answer === undefined) undecided("success");
      const ban = answer === undefined ? await local.succeed(target, account, toleration) : answer.ban;
      if (answer !== undefined && ban === undefined) local.noteSuccess(target, account);
      facts.degraded ||= answer === undefined;
      facts.rule = ban?.rule;
      if (ban !== undefined) events.blocked(ban.rule);
    },
    forget: ({ addresses, rules }) => {
      for (const address of addresses) {
        for (const place of deps.placesOf(address)) if (rules.includes(place.rule.name)) local.release(place);
      }
    },
  };
}
