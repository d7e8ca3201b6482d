import type { Ban, RuleScope } from "@postern/shared/domain/brute-force";
import type { Clock } from "@postern/shared/platform/time";
import { decayed, rolledTo } from "../brute-force/fallback/window.ts";
import {
  type CountedAttempt,
  type CountResult,
  type Guess,
  memoryMs,
  type SharedStore,
} from "../brute-force/shared-store.ts";
import { allowance, guessScore, type Toleration } from "../brute-force/toleration.ts";
import { Bounded, fewEntries } from "./bounded.ts";
import { networkNumber } from "./network-number.ts";
import { NumberSet, numberOf } from "./number-set.ts";
import { RuleCounts } from "./rule-counts.ts";
import type { SignIns } from "./signed-in.ts";

/** How much is kept of each kind; what was changed longest ago makes room. */
const maxAccounts = 100_000;
const maxWrongPasswords = 500_000;
/** As the scripts in Redis: wrong passwords of an account, and the time after which keys are prolonged at the latest. */
const maxDigests = 64;
const lateMs = 3_600_000;

interface WrongPassword {
  readonly digest: string;
  /** 0 if a success has subtracted it. */
  countedAtMs: number;
  lastMs: number;
}

/** The wrong passwords and the pending key of an account at one network. */
interface WrongPasswords {
  readonly clientNetwork: number;
  list: WrongPassword[];
  endsMs: number;
  /** As the value of the pending key: when the wrong passwords end. */
  pendingValueMs: number;
  /** When the pending key itself ends. */
  pendingEndsMs: number;
}

interface CountersDeps {
  readonly clock: Clock;
  readonly repeatWindowMs: number;
  readonly maxForgiven: number;
  /** Accounts that signed in, in windows of `tolerate_ttl`. */
  readonly signIns: SignIns;
}

type SuccessAnswer = ReturnType<SharedStore["succeed"]>;
const nothing = { ban: undefined, pending: false, accountFailures: 0 } as const;
const recorded: SuccessAnswer = Promise.resolve({ ban: undefined });

/**
 * The counters of brute-force protection in memory, for a clock that runs at the time of a log. It counts as the scripts in Redis do; a test
 * compares the two. Unlike the memory of an engine without Redis, it keeps the exact lifetimes.
 */
export class Counters implements SharedStore {
  readonly #deps: CountersDeps;
  readonly #rules = new Map<RuleScope["rule"], RuleCounts>();
  readonly #wrong: Bounded<WrongPasswords>;
  /** Client networks of wrong passwords; most sign-ins come from others, which costs them one look-up. */
  #wrongNetworks = new NumberSet(maxAccounts * 3);
  #lastBanEndsMs = 0;
  #remembered = 0;
  readonly #signedIn: ReturnType<SignIns["view"]>;

  constructor(deps: CountersDeps) {
    this.#deps = deps;
    this.#signedIn = deps.signIns.view();
    const now = (): number => deps.clock.now();
    this.#wrong = new Bounded(maxAccounts, (one) => Math.max(one.endsMs, one.pendingEndsMs) <= now());
  }

  /** Whether something had to make room, so that a count may be too low. */
  get isIncomplete(): boolean {
    const dropped = [...this.#rules.values()].some(({ isIncomplete }) => isIncomplete);
    return dropped || this.#wrong.dropped > 0 || this.#signedIn.isFull();
  }

  check(target: CountedAttempt | undefined): ReturnType<SharedStore["check"]> {
    if (target === undefined) return Promise.resolve(nothing);
    const ban = this.#banOf(target);
    const pending = this.#pendingOf(target) !== undefined;
    return Promise.resolve(ban === undefined && !pending ? nothing : { ban, pending, accountFailures: 0 });
  }

  count(target: CountedAttempt, guess: Guess): Promise<CountResult> {
    const memory = memoryMs(this.#deps.repeatWindowMs, target.scopes);
    const { repeated, seen } = guess.known
      ? this.#remember(target, guess.digest, memory)
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
    const ban = this.#banOf(target);
    if (ban !== undefined) return Promise.resolve({ ban });
    const number = numberOf(account);
    for (const { network } of target.scopes) this.#signedIn.add(networkNumber(network), number);
    const wrong = this.#pendingOf(target);
    if (wrong !== undefined) this.#forgive(target, wrong, minPercent);
    return recorded;
  }

  /** Whether any ban may be in force. */
  get hasBans(): boolean {
    return this.#lastBanEndsMs > this.#deps.clock.now();
  }

  /** Whether a network is banned by a rule. */
  isBanned(rule: RuleScope["rule"], network: number): boolean {
    return this.#banEndMs(rule, network) > this.#deps.clock.now();
  }

  /** Whether a success from this network may subtract wrong passwords. */
  mayForgive(clientNetwork: number): boolean {
    return this.#wrongNetworks.has(clientNetwork);
  }

  /** Records a success without bans and wrong passwords, which changes nothing else. */
  noteSignIn(networks: readonly number[], account: number): void {
    for (const network of networks) this.#signedIn.add(network, account);
  }

  /** Nothing is kept outside this object. */
  readonly keep = (): void => undefined;
  readonly forget = (): void => undefined;

  /** The wrong passwords that a success may subtract. */
  #pendingOf({ keys, source }: CountedAttempt): WrongPasswords | undefined {
    if (!this.#wrongNetworks.has(networkNumber(source.clientNetwork))) return undefined;
    const found = this.#wrong.entries.get(numberOf(keys.pending));
    return found !== undefined && found.pendingEndsMs > this.#deps.clock.now() ? found : undefined;
  }

  #rule(rule: RuleScope["rule"]): RuleCounts {
    const known = this.#rules.get(rule);
    if (known !== undefined) return known;
    const counts = new RuleCounts(rule, this.#deps.clock);
    this.#rules.set(rule, counts);
    return counts;
  }

  #banEndMs(rule: RuleScope["rule"], network: number): number {
    return this.hasBans ? this.#rule(rule).banEndMs(network) : 0;
  }

  #banAt({ rule, network }: RuleScope): Ban | undefined {
    const expiresAtMs = this.#banEndMs(rule, networkNumber(network));
    if (expiresAtMs <= this.#deps.clock.now()) return undefined;
    return { rule: rule.name, network, bannedAtMs: expiresAtMs - rule.banMs, expiresAtMs };
  }

  #banOf({ scopes }: CountedAttempt): Ban | undefined {
    for (const scope of scopes) {
      const ban = this.#banAt(scope);
      if (ban !== undefined) return ban;
    }
    return undefined;
  }

  #ban({ rule, network }: RuleScope): void {
    const endsMs = this.#rule(rule).ban(networkNumber(network));
    this.#lastBanEndsMs = Math.max(this.#lastBanEndsMs, endsMs);
  }

  /** What `remember` of `count-failures.lua` does. */
  #remember({ keys, source }: CountedAttempt, digest: string, memory: number) {
    const now = this.#deps.clock.now();
    const clientNetwork = networkNumber(source.clientNetwork);
    const none = { clientNetwork, list: [], endsMs: 0, pendingValueMs: 0, pendingEndsMs: 0 };
    const wrong: WrongPasswords = this.#wrong.entries.get(numberOf(keys.pending)) ?? none;
    if (wrong.endsMs <= now) wrong.list = [];
    const old = wrong.list.find((one) => one.digest === digest);
    const repeated = old !== undefined && now - old.lastMs < memory;
    if (old === undefined && wrong.list.length < maxDigests) {
      wrong.list.push({ digest, countedAtMs: now, lastMs: now });
      this.#makeRoom();
    }
    if (old !== undefined) old.lastMs = now;
    if (old !== undefined && !repeated) old.countedAtMs = now;
    if (repeated) wrong.endsMs = now + 2 * memory;
    else this.#prolong(wrong, memory);
    this.#wrong.put(numberOf(keys.pending), wrong);
    this.#wrongNetworks.add(clientNetwork);
    if (this.#wrongNetworks.size > 2 * this.#wrong.entries.size + fewEntries) this.#renewNetworks();
    return { repeated, seen: wrong.list.length };
  }

  #renewNetworks(): void {
    this.#wrongNetworks = new NumberSet(maxAccounts * 3);
    for (const { clientNetwork } of this.#wrong.entries.values()) this.#wrongNetworks.add(clientNetwork);
  }

  #makeRoom(): void {
    this.#remembered += 1;
    if (this.#remembered <= maxWrongPasswords) return;
    this.#wrong.sweep(this.#wrong.entries.size / 2);
    this.#remembered = this.#wrong.entries.values().reduce((sum, { list }) => sum + list.length, 0);
  }

  #prolong(wrong: WrongPasswords, memory: number): void {
    const now = this.#deps.clock.now();
    const spare = Math.min(memory, lateMs);
    const left = (wrong.pendingEndsMs > now ? wrong.pendingValueMs : 0) - now;
    if (wrong.list.length > 1 && left <= 2 * memory && left > 2 * memory - spare) return;
    wrong.endsMs = now + 2 * memory;
    wrong.pendingValueMs = now + 2 * memory;
    wrong.pendingEndsMs = now + memory + spare;
  }

  #add({ rule, network }: RuleScope, isKnown: boolean) {
    const counts = this.#rule(rule);
    const number = networkNumber(network);
    const now = this.#deps.clock.now();
    const before = rolledTo(counts.get(number), Math.floor(now / rule.periodMs));
    const count = isKnown ? { ...before, known: before.known + 1 } : { ...before, unknown: before.unknown + 1 };
    counts.put(number, count);
    return decayed(count, now, rule.periodMs);
  }

  #isOver({ rule, network }: RuleScope, failures: ReturnType<typeof decayed>, toleration: Toleration): boolean {
    const limit = rule.failedRequests - 1e-9;
    if (failures.known + failures.unknown < limit) return false;
    const number = networkNumber(network);
    return guessScore(failures, allowance(this.#signedIn.mostOf(number), toleration)) >= limit;
  }

  /** What `record-success.lua` does once it has found pending failures. */
  #forgive(target: CountedAttempt, wrong: WrongPasswords, minPercent: number): void {
    const { clock, repeatWindowMs, maxForgiven } = this.#deps;
    const now = clock.now();
    const memory = memoryMs(repeatWindowMs, target.scopes);
    wrong.pendingValueMs = 0;
    wrong.pendingEndsMs = 0;
    const list = wrong.endsMs <= now ? [] : wrong.list;
    const counted = list.filter(({ countedAtMs }) => countedAtMs > 0);
    wrong.list = list.filter(({ lastMs }) => now - lastMs < memory);
    if (counted.length === 0 || wrong.list.length > maxForgiven) return;
    const times = counted.map(({ countedAtMs }) => countedAtMs);
    for (const one of counted) one.countedAtMs = 0;
    for (const scope of target.scopes) this.#subtract(scope, times, minPercent);
  }

  #subtract({ rule, network }: RuleScope, times: readonly number[], percent: number): void {
    const { periodMs, failedRequests } = rule;
    const number = networkNumber(network);
    const counts = this.#rule(rule);
    if (!counts.has(number)) return;
    const limit = failedRequests + Math.floor((this.#signedIn.countOf(number) * percent) / 100);
    const count = rolledTo(counts.get(number), Math.floor(this.#deps.clock.now() / periodMs));
    let { forgiven, known, previousKnown } = count;
    for (const time of times) {
      if (forgiven >= limit) break;
      const window = Math.floor(time / periodMs);
      forgiven += 1;
      if (window === count.window) known = Math.max(0, known - 1);
      if (window === count.window - 1) previousKnown = Math.max(0, previousKnown - 1);
    }
    counts.put(number, { ...count, forgiven, known, previousKnown });
  }
}
