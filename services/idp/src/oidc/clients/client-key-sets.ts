import type { LoadKeySet } from "@postern/shared/domain/tokens";
import { abortAfter } from "@postern/shared/platform/concurrency";
import { AppError } from "@postern/shared/platform/errors";
import type { Clock } from "@postern/shared/platform/time";
import type { JWTPayload } from "jose";
import { type ClientKey, fittingKeys, readClientKeys, type WantedKey } from "./client-keys.ts";

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

/**
 * Keys that clients publish at their `jwks_uri`.
 *
 * @param onError called for the first of consecutive failures
 */
export function createClientKeySets(
  load: (uri: string) => LoadKeySet,
  clock: Clock,
  onError: (uri: string, error: unknown) => void,
) {
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
    /**
     * The suitable keys. Fetches the set if it was not read before, is too old, or lacks the named key.
     *
     * @throws AppError UPSTREAM_UNAVAILABLE when no key fits and the set cannot be read, so the assertion cannot be verified
     */
    find: async (uri: string, wanted: WantedKey): Promise<readonly ClientKey[]> => {
      const held = heldOf(uri);
      const isFresh = clock.now() - held.readAtMs <= freshMs;
      if (!isFresh || usable(held, wanted).length === 0) await refresh(uri, held);
      return answer(held, wanted);
    },
    /** Fetches again after no cached key verified a signature, unless the last fetch was moments ago. */
    findAnew: async (uri: string, wanted: WantedKey): Promise<readonly ClientKey[]> => {
      const held = heldOf(uri);
      await refresh(uri, held);
      // The earlier keys did not verify it: without newer ones the assertion cannot be verified.
      if (held.hasFailed) throw unreadable();
      return answer(held, wanted);
    },
  };
}

export type ClientKeySets = ReturnType<typeof createClientKeySets>;

/** Tries keys in turn. @returns the claims; undefined if no key verifies the JWT or a claim is wrong */
export type VerifyWithKeys = (keys: readonly ClientKey[]) => Promise<JWTPayload | undefined>;

/**
 * Verifies a JWT of a client with its configured keys, then its published ones. If none has a matching `kid`, it fetches
 * the published keys again.
 *
 * @throws AppError UPSTREAM_UNAVAILABLE when the published keys are needed and cannot be read
 */
export async function verifyClientJwt(
  verify: VerifyWithKeys,
  wanted: WantedKey,
  { keys, config }: { readonly keys: readonly ClientKey[]; readonly config: { readonly jwks_uri: string } },
  keySets: ClientKeySets,
): Promise<JWTPayload | "no_key" | "wrong_signature_or_claims"> {
  const own = fittingKeys(keys, wanted);
  const byOwn = await verify(own);
  const { jwks_uri: uri } = config;
  if (byOwn !== undefined || uri === "") return byOwn ?? (own.length === 0 ? "no_key" : "wrong_signature_or_claims");
  const published = await keySets.find(uri, wanted);
  const known = await verify(published);
  if (known !== undefined) return known;
  if (published.length === 0) return "no_key";
  if (published.some(({ kid }) => kid !== undefined && kid === wanted.kid)) return "wrong_signature_or_claims";
  const newer = (await keySets.findAnew(uri, wanted)).filter((key) => !published.includes(key));
  return (await verify(newer)) ?? "wrong_signature_or_claims";
}
