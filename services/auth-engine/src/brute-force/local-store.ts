import type { Ban, RulePlace } from "@postern/shared/domain/brute-force";
import { createBoundedCache } from "@postern/shared/platform/cache";
import type { Clock } from "@postern/shared/platform/time";
import { createGoodAccounts } from "./good-accounts.ts";
import { type Counted, type Guess, type GuessStore, memoryMs, type Target } from "./guess-store.ts";
import { allowance, guessScore } from "./toleration.ts";
import { decayed, emptyCount, rolledTo, type WindowCount } from "./window.ts";
import { createWrongPasswords } from "./wrong-passwords.ts";

const maxEntries = 65_536;

export interface LocalStoreDeps {
  readonly clock: Clock;
  /** Share of `failed_requests` that this process alone may allow. */
  readonly sharePercent: () => number;
  readonly repeatWindowMs: () => number;
  readonly maxForgiven: () => number;
}

/** Counts of this process alone, used while Redis is unavailable. */
export interface LocalStore extends GuessStore {
  /** Remembers a ban from Redis, which stays in force while Redis is unavailable. */
  note(place: RulePlace, ban: Ban): void;
  /** Records that no ban is in force here any more. */
  forget(banKey: string): void;
  /** Removes the bans and counts of a flushed place. */
  release(place: RulePlace): void;
  /** Records a sign-in from here that happened while Redis was available. */
  noteSuccess(target: Target, account: string): void;
  /** Discards all counts, because Redis is available again. */
  clearCounts(): void;
  readonly bans: number;
}

function without(count: WindowCount, windowOfFailure: number): WindowCount {
  if (windowOfFailure === count.window) return { ...count, known: Math.max(0, count.known - 1) };
  if (windowOfFailure !== count.window - 1) return count;
  return { ...count, previousKnown: Math.max(0, count.previousKnown - 1) };
}

function accountAt({ source, username }: Target): string {
  return `${source.clientNetwork} ${username.toLowerCase()}`;
}

/** Bans that this process knows. */
function createLocalBans(clock: Clock) {
  const bans = createBoundedCache<Ban>({ maxEntries, evict: "oldest" });
  return {
    bans,
    standing: ({ places }: Target): Ban | undefined => {
      for (const { banKey } of places) {
        const ban = bans.get(banKey);
        if (ban !== undefined && ban.expiresAtMs > clock.now()) return ban;
        if (ban !== undefined) bans.delete(banKey);
      }
      return undefined;
    },
  };
}

/** Failures by rule and network, and the resulting ban. */
function createLocalCounts(clock: Clock, sharePercent: () => number) {
  const counts = createBoundedCache<WindowCount>({ maxEntries, evict: "oldest" });
  return {
    clear: (): void => counts.clear(),
    forget: (countKey: string): void => counts.delete(countKey),
    count: (
      { rule, network, countKey }: RulePlace,
      { known, toleration }: Guess,
      accounts: number,
    ): Ban | undefined => {
      const now = clock.now();
      const count = rolledTo(counts.get(countKey) ?? emptyCount, Math.floor(now / rule.periodMs));
      const next = known ? { ...count, known: count.known + 1 } : { ...count, unknown: count.unknown + 1 };
      counts.set(countKey, next);
      const limit = Math.max(1, Math.floor((rule.failedRequests * sharePercent()) / 100));
      const score = guessScore(decayed(next, now, rule.periodMs), allowance(accounts, toleration));
      if (score < limit) return undefined;
      return { rule: rule.name, network, bannedAtMs: now, expiresAtMs: now + rule.banMs };
    },
    forgive: ({ rule, countKey }: RulePlace, countedAtMs: number): void => {
      const count = counts.get(countKey);
      if (count !== undefined) counts.set(countKey, without(count, Math.floor(countedAtMs / rule.periodMs)));
    },
  };
}

export function createLocalStore(deps: LocalStoreDeps): LocalStore {
  const { clock, sharePercent, repeatWindowMs, maxForgiven } = deps;
  const counts = createLocalCounts(clock, sharePercent);
  const { bans, standing } = createLocalBans(clock);
  const wrong = createWrongPasswords();
  const good = createGoodAccounts();

  const count = (target: Target, guess: Guess): Counted => {
    const account = accountAt(target);
    const when = { nowMs: clock.now(), forMs: memoryMs(repeatWindowMs(), target.places) };
    const repeated = guess.known && wrong.repeats(account, guess.digest, when);
    let ban = standing(target);
    let isNew = false;
    for (const place of repeated ? [] : target.places) {
      const newBan = counts.count(place, guess, good.countOf(place.network));
      if (newBan === undefined || isNew || bans.get(place.banKey) !== undefined) continue;
      bans.set(place.banKey, newBan);
      ban ??= newBan;
      isNew = true;
    }
    return { repeated, accountPasswordsSeen: wrong.countOf(account), totalPasswordsSeen: 0, ban, isNew };
  };
  const noteSuccess = ({ places }: Target, account: string): void => {
    for (const { network } of places) good.add(network, account);
  };
  return {
    check: (target) => ({ ban: standing(target), pending: wrong.countOf(accountAt(target)) > 0 }),
    count,
    succeed: (target, account) => {
      const ban = standing(target);
      if (ban !== undefined) return { ban };
      noteSuccess(target, account);
      for (const time of wrong.forgive(accountAt(target), maxForgiven())) {
        for (const place of target.places) counts.forgive(place, time);
      }
      return { ban: undefined };
    },
    note: ({ banKey }, ban) => bans.set(banKey, ban),
    forget: (banKey) => bans.delete(banKey),
    release: ({ banKey, countKey }) => {
      counts.forget(countKey);
      bans.delete(banKey);
    },
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
