import type { Ban, RuleScope } from "@postern/shared/domain/brute-force";
import { createBoundedCache } from "@postern/shared/platform/cache";
import type { Clock } from "@postern/shared/platform/time";
import {
  type BanState,
  type CountedAttempt,
  type CountResult,
  type Guess,
  memoryMs,
  type SuccessResult,
} from "../shared-store.ts";
import { allowance, guessScore, type Toleration } from "../toleration.ts";
import { decayed, emptyCount, rolledTo, type WindowCount } from "./window.ts";

const maxEntries = 65_536;

export interface LocalStoreDeps {
  readonly clock: Clock;
  /** Share of `failed_requests` that this process alone may allow. */
  readonly sharePercent: number;
  readonly repeatWindowMs: number;
  readonly maxForgiven: number;
}

function without(count: WindowCount, windowOfFailure: number): WindowCount {
  const next = { ...count, forgiven: count.forgiven + 1 };
  if (windowOfFailure === count.window) return { ...next, known: Math.max(0, count.known - 1) };
  if (windowOfFailure !== count.window - 1) return next;
  return { ...next, previousKnown: Math.max(0, count.previousKnown - 1) };
}

function accountAt({ source, username }: CountedAttempt): string {
  return `${source.clientNetwork} ${username.toLowerCase()}`;
}

/** Bans that this process knows: from Redis, and its own, which it made while Redis was unavailable. */
function createLocalBans(clock: Clock) {
  const shared = createBoundedCache<Ban>({ maxEntries, evict: "oldest" });
  const own = createBoundedCache<Ban>({ maxEntries, evict: "oldest" });
  const drop = (banKey: string): void => {
    shared.delete(banKey);
    own.delete(banKey);
  };
  const find = (banKey: string): Ban | undefined => {
    const ban = shared.get(banKey) ?? own.get(banKey);
    if (ban === undefined || ban.expiresAtMs > clock.now()) return ban;
    drop(banKey);
    return undefined;
  };
  return {
    shared,
    own,
    drop,
    find,
    banOf: ({ scopes }: CountedAttempt): Ban | undefined => {
      for (const { banKey } of scopes) {
        const ban = find(banKey);
        if (ban !== undefined) return ban;
      }
      return undefined;
    },
  };
}

/** Distinct accounts by network; all networks together are bounded. */
function createGoodAccounts() {
  const counts = new Map<string, number>();
  const change = (network: string, by: number): void => {
    const count = (counts.get(network) ?? 0) + by;
    if (count > 0) counts.set(network, count);
    else counts.delete(network);
  };
  const seen = createBoundedCache<string>({ maxEntries, evict: "oldest", onEvict: (network) => change(network, -1) });
  return {
    add: (network: string, account: string): void => {
      const key = `${network} ${account}`;
      if (seen.get(key) !== undefined) return;
      seen.set(key, network);
      change(network, 1);
    },
    countOf: (network: string): number => counts.get(network) ?? 0,
  };
}

interface WrongPassword {
  /** 0 if a success has undone the count. */
  countedAtMs: number;
  lastMs: number;
}

const maxAccounts = 16_384;
const maxDigests = 64;

/** Wrong passwords of accounts, by account and network; bounded. */
function createWrongPasswords() {
  const accounts = createBoundedCache<Map<string, WrongPassword>>({ maxEntries: maxAccounts, evict: "oldest" });
  return {
    /** Whether this one is a repetition; it is remembered either way. */
    repeats: (
      account: string,
      digest: string,
      { nowMs, forMs }: { readonly nowMs: number; readonly forMs: number },
    ): boolean => {
      const passwords = accounts.get(account) ?? new Map<string, WrongPassword>();
      accounts.set(account, passwords);
      const old = passwords.get(digest);
      if (old !== undefined && nowMs - old.lastMs < forMs) {
        old.lastMs = nowMs;
        return true;
      }
      if (old !== undefined || passwords.size < maxDigests) {
        passwords.set(digest, { countedAtMs: nowMs, lastMs: nowMs });
      }
      return false;
    },
    countOf: (account: string): number => accounts.get(account)?.size ?? 0,
    /** Marks the counts as undone by a success and returns their times. Empty if the account has more than `limit`. */
    forgive: (account: string, limit: number): readonly number[] => {
      const passwords = [...(accounts.get(account)?.values() ?? [])];
      if (passwords.length > limit) return [];
      const times = passwords.map(({ countedAtMs }) => countedAtMs).filter((time) => time > 0);
      for (const password of passwords) password.countedAtMs = 0;
      return times;
    },
    clear: (): void => accounts.clear(),
  };
}

/** Failures by rule and network, and the resulting ban. */
function createLocalCounts(clock: Clock, sharePercent: number) {
  const counts = createBoundedCache<WindowCount>({ maxEntries, evict: "oldest" });
  const limitOf = (rule: RuleScope["rule"]): number =>
    Math.max(1, Math.floor((rule.failedRequests * sharePercent) / 100));
  return {
    clear: (): void => counts.clear(),
    forget: (countKey: string): void => counts.delete(countKey),
    count: (
      { rule, network, countKey }: RuleScope,
      { known, toleration }: Guess,
      accounts: number,
    ): Ban | undefined => {
      const now = clock.now();
      const count = rolledTo(counts.get(countKey) ?? emptyCount, Math.floor(now / rule.periodMs));
      const next = known ? { ...count, known: count.known + 1 } : { ...count, unknown: count.unknown + 1 };
      counts.set(countKey, next);
      const score = guessScore(decayed(next, now, rule.periodMs), allowance(accounts, toleration));
      if (score < limitOf(rule)) return undefined;
      return { rule: rule.name, network, bannedAtMs: now, expiresAtMs: now + rule.banMs };
    },
    /**
     * Subtracts a wrong password. A network cannot have more subtracted in a window than it may fail and is tolerated, so that an attacker
     * does not hide guesses behind users who sign in.
     */
    forgive: ({ rule, countKey }: RuleScope, countedAtMs: number, tolerated: number): void => {
      const stored = counts.get(countKey);
      if (stored === undefined) return;
      const count = rolledTo(stored, Math.floor(clock.now() / rule.periodMs));
      if (count.forgiven >= limitOf(rule) + tolerated) return;
      counts.set(countKey, without(count, Math.floor(countedAtMs / rule.periodMs)));
    },
  };
}

interface Memory {
  readonly counts: ReturnType<typeof createLocalCounts>;
  readonly bans: ReturnType<typeof createLocalBans>;
  readonly wrong: ReturnType<typeof createWrongPasswords>;
  readonly good: ReturnType<typeof createGoodAccounts>;
}

function createCount({ clock, repeatWindowMs }: LocalStoreDeps, { counts, bans, wrong, good }: Memory) {
  return (target: CountedAttempt, guess: Guess): CountResult => {
    const account = accountAt(target);
    const when = { nowMs: clock.now(), forMs: memoryMs(repeatWindowMs, target.scopes) };
    const repeated = guess.known && wrong.repeats(account, guess.digest, when);
    let ban = bans.banOf(target);
    let isNew = false;
    for (const scope of repeated ? [] : target.scopes) {
      const newBan = counts.count(scope, guess, good.countOf(scope.network));
      if (newBan === undefined || isNew || bans.find(scope.banKey) !== undefined) continue;
      bans.own.set(scope.banKey, newBan);
      ban ??= newBan;
      isNew = true;
    }
    return { repeated, accountPasswordsSeen: wrong.countOf(account), totalPasswordsSeen: 0, ban, isNew };
  };
}

export type LocalStore = ReturnType<typeof createLocalStore>;

/** Counts of this process alone, used while Redis is unavailable. */
export function createLocalStore(deps: LocalStoreDeps) {
  const { clock, sharePercent, maxForgiven } = deps;
  const counts = createLocalCounts(clock, sharePercent);
  const bans = createLocalBans(clock);
  const { banOf } = bans;
  const wrong = createWrongPasswords();
  const good = createGoodAccounts();

  /** Also called for sign-ins while Redis was available. */
  const noteSuccess = ({ scopes }: CountedAttempt, account: string): void => {
    for (const { network } of scopes) good.add(network, account);
  };
  return {
    check: (target: CountedAttempt): BanState => ({
      ban: banOf(target),
      pending: wrong.countOf(accountAt(target)) > 0,
    }),
    count: createCount(deps, { counts, bans, wrong, good }),
    /** Records a success, unless a ban is in force. */
    succeed: (
      target: CountedAttempt,
      account: string,
      { minPercent }: Pick<Toleration, "minPercent">,
    ): SuccessResult => {
      const ban = banOf(target);
      if (ban !== undefined) return { ban };
      noteSuccess(target, account);
      for (const time of wrong.forgive(accountAt(target), maxForgiven)) {
        for (const scope of target.scopes) {
          counts.forgive(scope, time, Math.floor((good.countOf(scope.network) * minPercent) / 100));
        }
      }
      return { ban: undefined };
    },
    /** Remembers a ban from Redis, which stays in force while Redis is unavailable. */
    keepBan: ({ banKey }: Pick<RuleScope, "banKey">, ban: Ban): void => bans.shared.set(banKey, ban),
    dropBan: bans.drop,
    /** Removes the bans and counts of a flushed rule and network. */
    flush: ({ banKey, countKey }: RuleScope): void => {
      counts.forget(countKey);
      bans.drop(banKey);
    },
    noteSuccess,
    /** Discards all counts and the bans that resulted from them, because Redis is available again. */
    clearCounts: (): void => {
      counts.clear();
      wrong.clear();
      bans.own.clear();
    },
    get bans(): number {
      return bans.shared.size + bans.own.size;
    },
  };
}
