import type { LoadKeySet } from "@postern/shared/domain/tokens";
import { abortAfter } from "@postern/shared/platform/concurrency";
import { AppError } from "@postern/shared/platform/errors";
import type { Clock } from "@postern/shared/platform/time";
import { type ClientKey, fittingKeys, readClientKeys } from "./client-keys.ts";

/** The key that an assertion names. */
export interface WantedKey {
  readonly alg: string;
  readonly kid: string | undefined;
}

/** Keys that clients publish at their `jwks_uri`. */
export interface ClientKeySets {
  /**
   * The suitable keys. Fetches the set if it was not read before, is too old, or lacks the named key.
   *
   * @throws AppError UPSTREAM_UNAVAILABLE when no key fits and the set cannot be read, so the assertion cannot be verified
   */
  find(uri: string, wanted: WantedKey): Promise<readonly ClientKey[]>;
  /** Fetches again after no cached key verified a signature, unless the last fetch was moments ago. */
  findAnew(uri: string, wanted: WantedKey): Promise<readonly ClientKey[]>;
}

/** An older set is read again before it is used, so that removed keys stop working. */
const freshMs = 300_000;
/** Additional time for which the last set is used while it cannot be read. */
const staleMs = 3_600_000;
/** Minimum time between two fetches, however many unknown keys are named. */
const pauseMs = 5000;
const timeoutMs = 3000;
/** Sets that are kept; the oldest is dropped for another one. */
const maxSets = 4096;

interface Held {
  keys: readonly ClientKey[];
  readAtMs: number;
  requestedAtMs: number;
  hasFailed: boolean;
  asking: Promise<void> | undefined;
}

function unreadable(): AppError {
  return new AppError("UPSTREAM_UNAVAILABLE", { detail: "the key set of an OIDC client cannot be read" });
}

function unread(): Held {
  const never = Number.NEGATIVE_INFINITY;
  return { keys: [], readAtMs: never, requestedAtMs: never, hasFailed: false, asking: undefined };
}

/** @param onError called for the first of consecutive failures */
export function createClientKeySets(
  load: (uri: string) => LoadKeySet,
  clock: Clock,
  onError: (uri: string, error: unknown) => void,
): ClientKeySets {
  const sets = new Map<string, Held>();
  const heldOf = (uri: string): Held => {
    const held = sets.get(uri) ?? unread();
    const [oldest] = sets.keys();
    if (oldest !== undefined && sets.size >= maxSets && !sets.has(uri)) sets.delete(oldest);
    sets.set(uri, held);
    return held;
  };
  const read = async (uri: string, held: Held): Promise<void> => {
    held.requestedAtMs = clock.now();
    try {
      held.keys = readClientKeys(await load(uri)(abortAfter(timeoutMs)));
      held.readAtMs = clock.now();
      held.hasFailed = false;
    } catch (error) {
      if (!held.hasFailed) onError(uri, error);
      held.hasFailed = true;
    }
    held.asking = undefined;
  };
  /** Callers share one fetch at a time; there is no fetch too soon after the last. */
  const refresh = async (uri: string, held: Held): Promise<void> => {
    if (held.asking === undefined && clock.now() - held.requestedAtMs < pauseMs) return;
    held.asking ??= read(uri, held);
    await held.asking;
  };
  const usable = ({ keys, readAtMs }: Held, wanted: WantedKey): readonly ClientKey[] =>
    clock.now() - readAtMs <= freshMs + staleMs ? fittingKeys(keys, wanted) : [];
  const answer = (held: Held, wanted: WantedKey): readonly ClientKey[] => {
    const found = usable(held, wanted);
    if (found.length === 0 && held.hasFailed) throw unreadable();
    return found;
  };
  return {
    find: async (uri, wanted) => {
      const held = heldOf(uri);
      const isFresh = clock.now() - held.readAtMs <= freshMs;
      if (!isFresh || usable(held, wanted).length === 0) await refresh(uri, held);
      return answer(held, wanted);
    },
    findAnew: async (uri, wanted) => {
      const held = heldOf(uri);
      await refresh(uri, held);
      // The earlier keys did not verify it: without newer ones the assertion cannot be verified.
      if (held.hasFailed) throw unreadable();
      return answer(held, wanted);
    },
  };
}
