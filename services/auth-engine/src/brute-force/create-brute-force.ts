import type { Awaitable } from "@postern/shared/async";
import type { Ban, RulePlace } from "@postern/shared/brute-force";
import { AppError } from "@postern/shared/errors";
import type { Clock } from "@postern/shared/time";
import type { Attempt } from "../pipeline/attempt.ts";
import { createBoundedMap } from "./bounded-map.ts";
import type { BruteForce, BruteForceFacts } from "./brute-force.ts";
import type { Counted, Guess, SharedStore, Standing, Succeeded, Target } from "./guess-store.ts";
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
  readonly shared: SharedStore;
  readonly local: LocalStore;
  readonly guard: Pick<RedisGuard, "run" | "away">;
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

function emptyFacts(target: Target): BruteForceFacts {
  return {
    target,
    counted: false,
    repeatedWrongPassword: false,
    degraded: false,
    rule: undefined,
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

/** Counts in Redis, with what lies in other slots beside it. Undefined where Redis could not count this failure. */
function createSharedCount({ shared, guard, index, remember, clock }: BruteForceDeps) {
  const isDue = createEvery(clock, rememberMs);
  return (target: Target, guess: Guess): Promise<Counted | undefined> => {
    // Sent in the same tick as the count; where it was guessed from is no part of the decision.
    const due = !guard.away && guess.known && isDue(`${target.source.address} ${target.username}`);
    if (due) void remember(target, guess.account).catch(() => undefined);
    const finish = (counted: Counted | undefined): Awaitable<Counted | undefined> => {
      const ban = counted?.isNew === true ? counted.ban : undefined;
      const place = ban === undefined ? undefined : placeOf(target, ban);
      if (ban === undefined || place === undefined) return counted;
      const note = (): Promise<unknown> =>
        Promise.all([index(place, ban), guess.known && !due ? remember(target, guess.account) : undefined]);
      // A ban that is in no list stands all the same: whoever meets it puts it there.
      return guard.run(note).then(() => counted);
    };
    return shared.count(target, guess).then(finish, () => undefined);
  };
}

/** What is made of an answer, wherever it comes from. */
function createFindings({ settings, events }: BruteForceDeps) {
  const undecided = (question: "check" | "count" | "success"): void => {
    events.degraded(question);
    if (settings.withoutRedis.mode === "tempfail") {
      throw new AppError("REDIS_UNAVAILABLE", { detail: "failures cannot be counted" });
    }
  };
  const checked = (target: Target, { ban, pending }: Standing, degraded: boolean): BruteForceFacts => {
    const facts = emptyFacts(target);
    facts.rule = ban?.rule;
    facts.pending = pending;
    facts.degraded = degraded;
    if (ban !== undefined) events.blocked(ban.rule);
    return facts;
  };
  const counted = (attempt: Attempt, found: Counted, facts: BruteForceFacts): void => {
    fillIn(facts, found);
    events.failed(found.repeated ? "repeated" : "counted");
    if (found.isNew && found.ban !== undefined) events.banned(attempt, found.ban, found);
  };
  const succeeded = ({ ban }: Succeeded, facts: BruteForceFacts): void => {
    facts.rule = ban?.rule;
    if (ban !== undefined) events.blocked(ban.rule);
  };
  return { undecided, checked, counted, succeeded };
}

export function createBruteForce(deps: BruteForceDeps): BruteForce {
  const { settings, targetOf, shared, local } = deps;
  const { undecided, checked, counted, succeeded } = createFindings(deps);
  const noteBan = createBanNotes(deps);
  const countShared = createSharedCount(deps);

  return {
    check: (attempt) => {
      const target = targetOf(attempt);
      return target === undefined
        ? undefined
        : shared.check(target).then((answer) => {
            if (answer === undefined) {
              undecided("check");
              return checked(target, local.check(target), true);
            }
            noteBan(target, answer.ban);
            return checked(target, answer, false);
          });
    },
    countFailure: (attempt, { isKnown: known, account }, facts) => {
      const { target } = facts;
      const digest = deps.digest(attempt.username, attempt.password?.reveal() ?? "");
      const guess = { digest, known, account, toleration: settings.tolerationOf(target.source.address) };
      return countShared(target, guess).then((answer) => {
        if (answer !== undefined) return counted(attempt, answer, facts);
        facts.degraded = true;
        undecided("count");
        return counted(attempt, local.count(target, guess), facts);
      });
    },
    recordSuccess: (account, facts) => {
      const { target } = facts;
      const toleration = settings.tolerationOf(target.source.address);
      return shared.succeed(target, account, toleration).then((answer) => {
        if (answer !== undefined) {
          if (answer.ban === undefined) local.noteSuccess(target, account);
          return succeeded(answer, facts);
        }
        facts.degraded = true;
        undecided("success");
        return succeeded(local.succeed(target, account, toleration), facts);
      });
    },
    forget: ({ addresses, rules }) => {
      for (const address of addresses) {
        for (const place of deps.placesOf(address)) if (rules.includes(place.rule.name)) local.release(place);
      }
    },
  };
}
