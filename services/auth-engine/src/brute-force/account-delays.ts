import { foldedName } from "@postern/shared/domain/brute-force";
import { createBoundedCache } from "@postern/shared/platform/cache";
import type { Clock } from "@postern/shared/platform/time";
import type { AccountCount, AccountStore } from "./account-store-redis.ts";
import type { AccountDelaySettings } from "./brute-force-settings.ts";
import type { AccountSource, CountedAccount, NetworkNote } from "./shared-store.ts";
import { createChosenNames, createWriteThrottle, type WriteThrottle } from "./write-limits.ts";

/** Grows linearly from the first to the longest delay, which is reached at twice as many failures. */
export function delayMs(count: number, { network }: AccountSource, settings: AccountDelaySettings): number {
  const { failures, maxDelayMs, maxDelayWithoutClientMs } = settings;
  if (count < failures) return 0;
  const limitMs = network === undefined ? maxDelayWithoutClientMs : maxDelayMs;
  return Math.round((limitMs * Math.min(failures, count - failures + 1)) / failures);
}

interface Count {
  readonly digests: Set<string>;
  endsMs: number;
}

const maxNames = 4096;

/** Once a name has `maxDigests`, every other digest is new and is not kept. */
function createLocalAccountCounts(windowMs: number, maxDigests: number) {
  const counts = createBoundedCache<Count>({ maxEntries: maxNames, evict: "oldest" });
  const currentOf = (name: string, nowMs: number): Count | undefined => {
    const count = counts.get(name);
    if (count === undefined || nowMs < count.endsMs) return count;
    counts.delete(name);
    return undefined;
  };
  return {
    count: (name: string, digest: string, nowMs: number): { readonly failures: number; readonly isNew: boolean } => {
      const count = currentOf(name, nowMs) ?? { digests: new Set<string>(), endsMs: 0 };
      const isNew = !count.digests.has(digest);
      if (isNew) {
        count.endsMs = nowMs + windowMs;
        if (count.digests.size < maxDigests) count.digests.add(digest);
      }
      counts.set(name, count);
      return { failures: count.digests.size, isNew };
    },
    failuresOf: (name: string, nowMs: number): number =>
      counts.size === 0 ? 0 : (currentOf(name, nowMs)?.digests.size ?? 0),
  };
}

/** A wrong guess from the account's point of view. */
export interface CountedGuess extends AccountCount {
  readonly accountDelayMs: number;
}

export interface AccountGuess {
  readonly target: CountedAccount;
  readonly digest: string;
  readonly isKnown: boolean;
  readonly account: string | undefined;
  /**
   * Distinct wrong passwords of a delayed account when the attempt arrived; they determine the delay of a right one.
   */
  readonly failuresBefore?: number;
  /** Whether the caller asks if the password is new, although the account has so many that one more changes nothing. */
  readonly asksIfNew?: boolean;
}

export interface AccountDelaysDeps {
  readonly settings: AccountDelaySettings;
  readonly store: AccountStore;
  readonly clock: Clock;
  readonly delayed: (source: "unknown_network" | "no_address") => void;
}

/** Limits of the accounts, and of the other sign-in names of each, that are remembered. */
const maxAccounts = 16_384;
const maxAliases = 16;
/** A sign-in from a network that was recorded recently is not recorded again. */
const noteMs = 3_600_000;

/** Whether one more name of an account may share its known networks: some backends accept endless aliases. */
function createAliases(): (account: string, name: string) => boolean {
  const known = createBoundedCache<Set<string>>({ maxEntries: maxAccounts, evict: "oldest" });
  return (account, name) => {
    const names = known.get(account) ?? new Set<string>();
    if (names.size < maxAliases) names.add(name);
    known.set(account, names);
    return names.has(name);
  };
}

function isOwnName({ target, isKnown, account }: AccountGuess): boolean {
  return isKnown && account !== undefined && foldedName(account) === target.username;
}

/**
 * Counts under the typed name only: if an account's other names counted together, the delay would reveal who exists.
 */
function createCount({ settings, store, clock }: AccountDelaysDeps) {
  const { failures, windowMs } = settings;
  const mayChoose = createChosenNames(clock, windowMs);
  const local = createLocalAccountCounts(windowMs, 2 * failures);
  const countHere = async ({ target, digest }: AccountGuess): Promise<AccountCount> => {
    const { username, source } = target;
    const found = local.count(username, digest, clock.now());
    if (found.failures < failures || source.network === undefined) return { ...found, knowsSource: false };
    // Without Redis no response is delayed.
    return { ...found, knowsSource: (await store.knowsNetwork(username, source.network)) !== false };
  };
  const count = (guess: AccountGuess): Promise<AccountCount | undefined> => {
    const { target, digest, failuresBefore, asksIfNew } = guess;
    if (!isOwnName(guess) && !mayChoose()) return countHere(guess);
    return store.count({ target, digest, read: asksIfNew === true ? 0 : failuresBefore });
  };
  return { count, failuresHere: (name: string): number => local.failuresOf(name, clock.now()) };
}

/** Names under which a network may be known: the account's own and the typed one. */
function namesOf(account: string, { username }: CountedAccount): readonly string[] {
  const own = foldedName(account);
  return own === username ? [own] : [own, username];
}

function noteKey(account: string, { source, username }: CountedAccount): string {
  return `${source.network} ${username} ${account}`;
}

/** Notes the networks from which accounts signed in. */
function createNotes(store: AccountStore, throttle: WriteThrottle) {
  const mayName = createAliases();
  const namesToNote = (account: string, target: CountedAccount): readonly string[] =>
    namesOf(account, target).filter((name, index) => index === 0 || mayName(account, name));
  const networkToNote = (account: string, target: CountedAccount): string | undefined => {
    // Otherwise the next wrong guess from there would not be delayed, which would reveal that this password was right.
    if (target.hidesOutcome === true) return undefined;
    const { network, isTrusted } = target.source;
    return isTrusted || !throttle.isDue(noteKey(account, target)) ? undefined : network;
  };
  return {
    /** The sign-in, if it is to be recorded: another call may do it. */
    noteOf: (account: string, target: CountedAccount): NetworkNote | undefined => {
      const network = networkToNote(account, target);
      return network === undefined ? undefined : store.noteFor(namesToNote(account, target), network);
    },
    /** Records that the account signed in from this network. `isNoted`: another call has recorded it. */
    noteSignIn: (account: string, target: CountedAccount, isNoted = false): void => {
      const network = networkToNote(account, target);
      if (network === undefined) return;
      const names = namesToNote(account, target);
      const markNoted = (): void => {
        throttle.mark(noteKey(account, target));
        store.shareNetworks(names);
      };
      if (isNoted) return markNoted();
      void Promise.all(names.map((name) => store.noteNetwork(name, network))).then(
        (noted) => (noted.every((isDone) => isDone === true) ? markNoted() : undefined),
        () => undefined,
      );
    },
  };
}

/** Delays answers about an account for networks that it does not know, however many networks the guesses come from. */
export function createAccountDelays(deps: AccountDelaysDeps) {
  const { settings, store, clock, delayed } = deps;
  const { count, failuresHere } = createCount(deps);
  const throttle = createWriteThrottle(clock, Math.min(noteMs, settings.knownForMs / 2));
  const counted = (ms: number, { source }: CountedAccount): number => {
    if (ms > 0) delayed(source.network === undefined ? "no_address" : "unknown_network");
    return ms;
  };
  return {
    /** `account`: the backend's own name for it, if returned. Undefined if it was not counted. */
    count: async (guess: AccountGuess): Promise<CountedGuess | undefined> => {
      const { target, failuresBefore = 0 } = guess;
      // A correct password does not raise the count, so if the two must be indistinguishable, a wrong password's own
      // guess is not counted for its delay.
      const before = target.hidesOutcome === true ? Math.max(failuresBefore, failuresHere(target.username)) : undefined;
      const found = await count(guess);
      if (found === undefined) return undefined;
      const { failures, isNew } = found;
      const knowsSource = target.source.isTrusted || found.knowsSource;
      const accountDelayMs = knowsSource ? 0 : counted(delayMs(before ?? failures, target.source, settings), target);
      return { failures, isNew, knowsSource, accountDelayMs };
    },
    /** The account delay of a success, in milliseconds; 0 for none. */
    ofSuccess: async (account: string, target: CountedAccount, failures: number): Promise<number> => {
      const { source, username } = target;
      const { network } = source;
      const ms = delayMs(Math.max(failures, failuresHere(username)), source, settings);
      if (ms === 0 || source.isTrusted) return 0;
      if (network === undefined) return counted(ms, target);
      // Recent sign-in from there through this engine: while an account is under attack, its user costs no call to
      // Redis.
      if (!throttle.isDue(noteKey(account, target))) return 0;
      // Redis became unavailable in between: without its counts no response is delayed.
      const answers = await Promise.all(namesOf(account, target).map((name) => store.knowsNetwork(name, network)));
      return answers.every((knows) => knows === false) ? counted(ms, target) : 0;
    },
    ...createNotes(store, throttle),
  };
}

export type AccountDelays = ReturnType<typeof createAccountDelays>;
