import type { Clock } from "../time/clock.ts";
import { firstPause } from "./first-pause.ts";
import { type KeySet, parseKeySet, type VerificationKey } from "./jwks.ts";
import type { LoadKeySet } from "./jwks-sources.ts";

/** `unavailable`: the key may exist, but nobody could be asked. */
export type KeyLookup =
  | { readonly outcome: "found"; readonly key: VerificationKey }
  | { readonly outcome: "unknown" }
  | { readonly outcome: "unavailable" };

/** The keys that sign access tokens: held in memory, fetched again before anybody waits for them. */
export interface KeySource {
  /** Of a key that is held, at once. */
  held(kid: string): VerificationKey | undefined;
  /** Asks the source for a key that is not held, at most once in `retryAfterMs`. Never rejects. */
  find(kid: string): Promise<KeyLookup>;
  /** Stops fetching. */
  close(): void;
}

export interface KeySourceOptions {
  readonly load: LoadKeySet;
  readonly clock: Clock;
  /** Time between two fetches that nobody asked for. */
  readonly refreshMs: number;
  /** Time between two fetches because of an unknown key, and after a failure; at most that before the first success. */
  readonly retryAfterMs: number;
  readonly timeoutMs: number;
  /** Told of the first failure in a row. */
  readonly onError: (error: unknown) => void;
}

interface Held {
  keys: KeySet;
  /** Whether the last fetch succeeded: only then is an absent key an unknown one. */
  isCurrent: boolean;
  fetchedAtMs: number;
  failures: number;
}

/** For the first attempts, which nothing but a source that hangs uses up. */
const firstTimeoutMs = 1000;

/**
 * Fetches at once and then every `refreshMs`. While the source is away, the keys of the last time stay; while it was
 * never there, it is asked again soon, by the clock alone: what comes with requests hastens nothing.
 */
export function createKeySource(options: KeySourceOptions): KeySource {
  const { load, clock, refreshMs, retryAfterMs, timeoutMs, onError } = options;
  const state: Held = { keys: new Map(), isCurrent: false, fetchedAtMs: Number.NEGATIVE_INFINITY, failures: 0 };
  let fetching: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const startedAtMs = clock.now();
  const waitedMs = (): number => clock.now() - startedAtMs;
  const hasKeys = (): boolean => state.keys.size > 0;
  const attemptMs = (): number => (hasKeys() ? timeoutMs : Math.min(timeoutMs, Math.max(firstTimeoutMs, waitedMs())));
  const pauseMs = (): number => {
    if (state.isCurrent) return refreshMs;
    return hasKeys() ? retryAfterMs : firstPause(waitedMs(), retryAfterMs, Math.random());
  };

  const fetchKeys = async (): Promise<void> => {
    try {
      state.keys = parseKeySet(await load(AbortSignal.timeout(attemptMs())));
      state.isCurrent = true;
      state.failures = 0;
    } catch (error) {
      state.isCurrent = false;
      state.failures += 1;
      if (state.failures === 1) onError(error);
    }
    state.fetchedAtMs = clock.now();
    fetching = undefined;
    schedule(pauseMs());
  };
  const refresh = (): Promise<void> => {
    fetching ??= fetchKeys();
    return fetching;
  };
  const schedule = (afterMs: number): void => {
    clearTimeout(timer);
    if (isClosed) return;
    timer = setTimeout(() => void refresh(), afterMs);
    timer.unref();
  };
  const answer = (kid: string): KeyLookup => {
    const key = state.keys.get(kid);
    if (key !== undefined) return { outcome: "found", key };
    return { outcome: state.isCurrent ? "unknown" : "unavailable" };
  };
  void refresh();
  return {
    held: (kid) => state.keys.get(kid),
    find: async (kid) => {
      if (fetching !== undefined || clock.now() - state.fetchedAtMs >= retryAfterMs) await refresh();
      return answer(kid);
    },
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
