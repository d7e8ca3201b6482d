import type { Ban, RuleScope } from "@postern/shared/domain/brute-force";
import type { Clock } from "@postern/shared/platform/time";
import {
  decayed,
  emptyCount,
  rolledTo,
  type WindowCount,
} from "../../../services/auth-engine/src/brute-force/fallback/window.ts";
import {
  type CountedAttempt,
  type CountResult,
  type Guess,
  memoryMs,
  type SharedStore,
} from "../../../services/auth-engine/src/brute-force/shared-store.ts";
import { allowance, guessScore, type Toleration } from "../../../services/auth-engine/src/brute-force/toleration.ts";
import { NumberSet, numberOf } from "./number-set.ts";

/** How much is kept of each kind; what was changed longest ago makes room. */
const maxEntries = 200_000;
/** Accounts that signed in, of all networks in one window. */
const maxSignedIn = 4_000_000;
/** As the scripts in Redis: wrong passwords of an account, and the part of a day after which keys are prolonged at the latest. */
const maxDigests = 64;
const lateMs = 3_600_000;
const sweepMs = 600_000;

/** The entries of one kind. The order of a Map is that of insertion, so a changed entry is moved to its end. */
class Bounded<Value> {
  readonly entries = new Map<string, Value>();
  /** Entries that made room while they still counted. */
  dropped = 0;

  put(key: string, value: Value): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size <= maxEntries) return;
    for (const oldest of this.entries.keys()) {
      this.entries.delete(oldest);
      this.dropped += 1;
      return;
    }
  }

  sweep(isOver: (value: Value) => boolean): void {
    for (const [key, value] of this.entries) if (isOver(value)) this.entries.delete(key);
  }
}

interface WrongPassword {
  /** 0 if a success has subtracted it. */
  countedAtMs: number;
  lastMs: number;
}

interface WrongPasswords {
  readonly digests: Map<string, WrongPassword>;
  endsMs: number;
  /** As the value of the pending key: when the wrong passwords end. */
  pendingValueMs: number;
  /** When the pending key itself ends. */
  pendingEndsMs: number;
}

interface RuleCount {
  readonly periodMs: number;
  count: WindowCount;
}

/** Distinct accounts by network in one window of `tolerate_ttl`. */
class SignedIn {
  readonly #seen = new NumberSet(maxSignedIn);
  readonly #counts = new Map<number, number>();

  add(network: string, account: string): void {
    if (!this.#seen.add(numberOf(account, numberOf(network)))) return;
    const key = numberOf(network);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  countOf(network: string): number {
    return this.#counts.get(numberOf(network)) ?? 0;
  }

  get isFull(): boolean {
    return this.#seen.isFull;
  }
}

interface CountersDeps {
  readonly clock: Clock;
  readonly repeatWindowMs: number;
  readonly maxForgiven: number;
  readonly tolerateMs: number;
}

const none: SuccessAnswer = Promise.resolve({ ban: undefined });
type SuccessAnswer = ReturnType<SharedStore["succeed"]>;

/**
 * The counters of brute-force protection in memory, for a clock that runs at the time of a log. It counts as the scripts in Redis do; a test
 * compares the two. Unlike the memory of an engine without Redis, it keeps the exact lifetimes.
 */
export class Counters implements SharedStore {
  readonly #deps: CountersDeps;
  readonly #bans = new Bounded<Ban>();
  readonly #counts = new Bounded<RuleCount>();
  readonly #wrong = new Bounded<WrongPasswords>();
  #window = 0;
  #signedIn = new SignedIn();
  #signedInBefore = new SignedIn();
  #wasFull = false;
  #sweptMs = 0;

  constructor(deps: CountersDeps) {
    this.#deps = deps;
  }

  /** Whether something had to make room, so that a count may be too low. */
  get isIncomplete(): boolean {
    return this.#wasFull || this.#signedIn.isFull || this.dropped > 0;
  }

  get dropped(): number {
    return this.#bans.dropped + this.#counts.dropped + this.#wrong.dropped;
  }

  check(target: CountedAttempt | undefined): ReturnType<SharedStore["check"]> {
    if (target === undefined) return Promise.resolve({ ban: undefined, pending: false, accountFailures: 0 });
    const ban = this.#banOf(target);
    const pending = this.#wrong.entries.get(target.keys.pending);
    const isPending = pending !== undefined && pending.pendingEndsMs > this.#deps.clock.now();
    return Promise.resolve({ ban, pending: isPending, accountFailures: 0 });
  }

  count(target: CountedAttempt, guess: Guess): Promise<CountResult> {
    this.#advance();
    const memory = memoryMs(this.#deps.repeatWindowMs, target.scopes);
    const { repeated, seen } = guess.known
      ? this.#remember(target.keys.pending, guess.digest, memory)
      : { repeated: false, seen: 0 };
    let isNew = false;
    for (const scope of repeated ? [] : target.scopes) {
      const failures = this.#add(scope, guess.known);
      if (isNew || this.#banAt(scope) !== undefined || !this.#isOver(scope, failures, guess.toleration)) continue;
      this.#ban(scope);
      isNew = true;
    }
    return Promise.resolve({
      repeated,
      accountPasswordsSeen: seen,
      totalPasswordsSeen: 0,
      ban: this.#banOf(target),
      isNew,
    });
  }

  succeed(target: CountedAttempt, account: string, { minPercent }: Toleration): SuccessAnswer {
    this.#advance();
    const ban = this.#banOf(target);
    if (ban !== undefined) return Promise.resolve({ ban });
    if (this.#deps.tolerateMs > 0) for (const { network } of target.scopes) this.#signedIn.add(network, account);
    const wrong = this.#wrong.entries.get(target.keys.pending);
    if (wrong !== undefined && wrong.pendingEndsMs > this.#deps.clock.now()) this.#forgive(target, wrong, minPercent);
    return none;
  }

  /** Nothing is kept outside this object. */
  readonly keep = (): void => undefined;
  readonly forget = (): void => undefined;

  #banAt({ banKey }: RuleScope): Ban | undefined {
    if (this.#bans.entries.size === 0) return undefined;
    const ban = this.#bans.entries.get(banKey);
    return ban !== undefined && ban.expiresAtMs > this.#deps.clock.now() ? ban : undefined;
  }

  #banOf({ scopes }: CountedAttempt): Ban | undefined {
    for (const scope of scopes) {
      const ban = this.#banAt(scope);
      if (ban !== undefined) return ban;
    }
    return undefined;
  }

  #ban({ rule, network, banKey }: RuleScope): void {
    const bannedAtMs = this.#deps.clock.now();
    this.#bans.put(banKey, { rule: rule.name, network, bannedAtMs, expiresAtMs: bannedAtMs + rule.banMs });
  }

  /** What `remember` of `count-failures.lua` does; the wrong passwords and the pending key of an account are one entry here. */
  #remember(key: string, digest: string, memory: number): { readonly repeated: boolean; readonly seen: number } {
    const now = this.#deps.clock.now();
    const kept = this.#wrong.entries.get(key);
    const wrong = kept ?? { digests: new Map(), endsMs: 0, pendingValueMs: 0, pendingEndsMs: 0 };
    if (wrong.endsMs <= now) wrong.digests.clear();
    const { digests } = wrong;
    const old = digests.get(digest);
    const repeated = old !== undefined && now - old.lastMs < memory;
    if (repeated) old.lastMs = now;
    else if (old !== undefined || digests.size < maxDigests) digests.set(digest, { countedAtMs: now, lastMs: now });
    const seen = digests.size;
    if (repeated) wrong.endsMs = now + 2 * memory;
    else {
      const spare = Math.min(memory, lateMs);
      const left = (wrong.pendingEndsMs > now ? wrong.pendingValueMs : 0) - now;
      if (seen <= 1 || left > 2 * memory || left <= 2 * memory - spare) {
        wrong.endsMs = now + 2 * memory;
        wrong.pendingValueMs = now + 2 * memory;
        wrong.pendingEndsMs = now + memory + spare;
      }
    }
    this.#wrong.put(key, wrong);
    return { repeated, seen };
  }

  #add({ rule: { periodMs }, countKey }: RuleScope, isKnown: boolean) {
    const now = this.#deps.clock.now();
    const before = rolledTo(this.#counts.entries.get(countKey)?.count ?? emptyCount, Math.floor(now / periodMs));
    const count = isKnown ? { ...before, known: before.known + 1 } : { ...before, unknown: before.unknown + 1 };
    this.#counts.put(countKey, { periodMs, count });
    return decayed(count, now, periodMs);
  }

  #isOver({ rule, network }: RuleScope, failures: ReturnType<typeof decayed>, toleration: Toleration): boolean {
    const limit = rule.failedRequests - 1e-9;
    if (failures.known + failures.unknown < limit) return false;
    const accounts = Math.max(this.#signedIn.countOf(network), this.#signedInBefore.countOf(network));
    return guessScore(failures, allowance(accounts, toleration)) >= limit;
  }

  /** What `record-success.lua` does once it has found pending failures. */
  #forgive(target: CountedAttempt, wrong: WrongPasswords, minPercent: number): void {
    const { clock, repeatWindowMs, maxForgiven } = this.#deps;
    const now = clock.now();
    const memory = memoryMs(repeatWindowMs, target.scopes);
    wrong.pendingValueMs = 0;
    wrong.pendingEndsMs = 0;
    if (wrong.endsMs <= now) wrong.digests.clear();
    const counted: WrongPassword[] = [];
    for (const [digest, one] of wrong.digests) {
      if (now - one.lastMs >= memory) wrong.digests.delete(digest);
      if (one.countedAtMs > 0) counted.push(one);
    }
    if (counted.length === 0 || wrong.digests.size > maxForgiven) return;
    const times = counted.map(({ countedAtMs }) => countedAtMs);
    for (const one of counted) one.countedAtMs = 0;
    for (const scope of target.scopes) this.#subtract(scope, times, minPercent);
  }

  #subtract(
    { rule: { periodMs, failedRequests }, network, countKey }: RuleScope,
    times: readonly number[],
    percent: number,
  ) {
    const stored = this.#counts.entries.get(countKey);
    if (stored === undefined) return;
    const most = failedRequests + Math.floor((this.#signedIn.countOf(network) * percent) / 100);
    let count = rolledTo(stored.count, Math.floor(this.#deps.clock.now() / periodMs));
    for (const time of times) {
      if (count.forgiven >= most) break;
      const window = Math.floor(time / periodMs);
      const { known, previousKnown } = count;
      count = {
        ...count,
        forgiven: count.forgiven + 1,
        known: window === count.window ? Math.max(0, known - 1) : known,
        previousKnown: window === count.window - 1 ? Math.max(0, previousKnown - 1) : previousKnown,
      };
    }
    stored.count = count;
  }

  /** Begins a new window of accounts that signed in, and removes what has expired. */
  #advance(): void {
    const now = this.#deps.clock.now();
    const { tolerateMs } = this.#deps;
    const window = tolerateMs === 0 ? 0 : Math.floor(now / tolerateMs);
    if (window !== this.#window) {
      this.#wasFull ||= this.#signedIn.isFull;
      this.#signedInBefore = window === this.#window + 1 ? this.#signedIn : new SignedIn();
      this.#signedIn = new SignedIn();
      this.#window = window;
    }
    if (now - this.#sweptMs < sweepMs) return;
    this.#sweptMs = now;
    this.#bans.sweep(({ expiresAtMs }) => expiresAtMs <= now);
    this.#wrong.sweep(({ endsMs, pendingEndsMs }) => Math.max(endsMs, pendingEndsMs) <= now);
    this.#counts.sweep(({ periodMs, count }) => Math.floor(now / periodMs) > count.window + 1);
  }
}
