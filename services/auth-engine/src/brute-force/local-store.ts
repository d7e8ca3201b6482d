import type { Ban, RulePlace } from "@postern/shared/brute-force";
import type { Clock } from "@postern/shared/time";
import { type BoundedMap, createBoundedMap } from "./bounded-map.ts";
import { type Counted, type Guess, type GuessStore, memoryMs, type Target } from "./guess-store.ts";
import { allowance, guessScore } from "./toleration.ts";
import { decayed, emptyCount, rolledTo, type WindowCount } from "./window.ts";

const maxEntries = 65_536;

export interface LocalStoreDeps {
  readonly clock: Clock;
  /** Share of `failed_requests` that this process may let pass on its own. */
  readonly sharePercent: () => number;
  readonly repeatWindowMs: () => number;
  readonly takenBack: () => number;
}

/** Counts of this process alone, while Redis is away. */
export interface LocalStore extends GuessStore {
  /** A ban that Redis holds: it stands while Redis is away, too. */
  note(place: RulePlace, ban: Ban): void;
  /** Nobody stands banned here any more. */
  forget(place: RulePlace): void;
  /** An account signed in from here, seen while Redis was there. */
  noteSuccess(target: Target, account: string): void;
  /** Redis is back: its counts are the truth. */
  clearCounts(): void;
  readonly bans: number;
}

interface WrongPassword {
  countedAtMs: number;
  lastMs: number;
}

/** Distinct accounts by network; all networks together are bounded. */
function createGoodAccounts() {
  const counts = new Map<string, number>();
  const change = (network: string, by: number): void => {
    const count = (counts.get(network) ?? 0) + by;
    if (count > 0) counts.set(network, count);
    else counts.delete(network);
  };
  const seen = createBoundedMap<string>(maxEntries, (network) => change(network, -1));
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

type Wrong = BoundedMap<Map<string, WrongPassword>>;

const maxDigests = 64;

/** Whether the guess repeats one; it is remembered either way. */
function isRepeated(
  wrong: Wrong,
  key: string,
  { digest, nowMs, forMs }: Readonly<Record<"nowMs" | "forMs", number>> & { readonly digest: string },
): boolean {
  const passwords = wrong.get(key) ?? new Map<string, WrongPassword>();
  wrong.set(key, passwords);
  const old = passwords.get(digest);
  if (old !== undefined && nowMs - old.lastMs < forMs) {
    old.lastMs = nowMs;
    return true;
  }
  if (old !== undefined || passwords.size < maxDigests) passwords.set(digest, { countedAtMs: nowMs, lastMs: nowMs });
  return false;
}

function takeBack(count: WindowCount, windowOfFailure: number): WindowCount {
  if (windowOfFailure === count.window) return { ...count, known: Math.max(0, count.known - 1) };
  if (windowOfFailure !== count.window - 1) return count;
  return { ...count, previousKnown: Math.max(0, count.previousKnown - 1) };
}

export function createLocalStore({ clock, sharePercent, repeatWindowMs, takenBack }: LocalStoreDeps): LocalStore {
  const counts = createBoundedMap<WindowCount>(maxEntries);
  const bans = createBoundedMap<Ban>(maxEntries);
  const wrong: Wrong = createBoundedMap(maxEntries);
  const good = createGoodAccounts();

  const wrongKey = ({ source, username }: Target): string => `${source.clientNetwork} ${username.toLowerCase()}`;
  const standing = ({ places }: Target): Ban | undefined => {
    for (const { banKey } of places) {
      const ban = bans.get(banKey);
      if (ban !== undefined && ban.expiresAtMs > clock.now()) return ban;
      if (ban !== undefined) bans.delete(banKey);
    }
    return undefined;
  };
  const countAt = ({ rule, network, countKey }: RulePlace, { known, toleration }: Guess): Ban | undefined => {
    const now = clock.now();
    const count = rolledTo(counts.get(countKey) ?? emptyCount, Math.floor(now / rule.periodMs));
    const next = known ? { ...count, known: count.known + 1 } : { ...count, unknown: count.unknown + 1 };
    counts.set(countKey, next);
    const limit = Math.max(1, Math.floor((rule.failedRequests * sharePercent()) / 100));
    const allowed = allowance(good.countOf(network), toleration);
    if (guessScore(decayed(next, now, rule.periodMs), allowed) < limit) return undefined;
    return { rule: rule.name, network, bannedAtMs: now, expiresAtMs: now + rule.banMs };
  };
  const count = (target: Target, guess: Guess): Counted => {
    const key = wrongKey(target);
    const given = { digest: guess.digest, nowMs: clock.now(), forMs: memoryMs(repeatWindowMs(), target.places) };
    const repeated = guess.known && isRepeated(wrong, key, given);
    let ban = standing(target);
    let isNew = false;
    for (const place of repeated ? [] : target.places) {
      const made = countAt(place, guess);
      if (made === undefined || isNew || bans.get(place.banKey) !== undefined) continue;
      bans.set(place.banKey, made);
      ban ??= made;
      isNew = true;
    }
    return { repeated, accountPasswordsSeen: wrong.get(key)?.size ?? 0, totalPasswordsSeen: 0, ban, isNew };
  };
  const forgive = (target: Target): void => {
    const passwords = wrong.get(wrongKey(target));
    const counted = [...(passwords?.values() ?? [])].filter(({ countedAtMs }) => countedAtMs > 0);
    if (counted.length === 0 || counted.length > takenBack()) return;
    for (const password of counted) {
      for (const { rule, countKey } of target.places) {
        const count = counts.get(countKey);
        if (count !== undefined) {
          counts.set(countKey, takeBack(count, Math.floor(password.countedAtMs / rule.periodMs)));
        }
      }
      password.countedAtMs = 0;
    }
  };
  const noteSuccess = ({ places }: Target, account: string): void => {
    for (const { network } of places) good.add(network, account);
  };
  return {
    check: async (target) => ({ ban: standing(target), pending: wrong.get(wrongKey(target)) !== undefined }),
    count: async (target, guess) => count(target, guess),
    succeed: async (target, account) => {
      const ban = standing(target);
      if (ban !== undefined) return ban;
      noteSuccess(target, account);
      forgive(target);
      return undefined;
    },
    note: ({ banKey }, ban) => bans.set(banKey, ban),
    forget: ({ banKey }) => bans.delete(banKey),
    noteSuccess,
    clearCounts: () => {
      counts.clear();
      wrong.clear();
      bans.clear();
    },
    get bans() {
      return bans.size;
    },
  };
}
