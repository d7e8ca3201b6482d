import { createPublicKey, type KeyObject } from "node:crypto";
import { open } from "node:fs/promises";
import { abortAfter } from "../../platform/concurrency/deadline.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import { isMapping } from "../../platform/json/index.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { guardedDocument, type RefuseAddress, readDocument, tooLarge, wrongStatus } from "./guarded-document.ts";

/** Signature algorithms of access tokens: asymmetric ones only. */
export const accessTokenAlgorithms = ["RS256", "PS256", "ES256", "EdDSA"] as const;
type AccessTokenAlgorithm = (typeof accessTokenAlgorithms)[number];

/** A public key and what it may verify: the key determines the algorithm, never the token. */
export interface VerificationKey {
  readonly key: KeyObject;
  readonly algorithms: readonly AccessTokenAlgorithm[];
}

type KeySet = ReadonlyMap<string, VerificationKey>;

const maxKeys = 64;
const minRsaBits = 2048;

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function publicPart(jwk: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const names = ["kty", "crv", "n", "e", "x", "y"];
  return Object.fromEntries(names.flatMap((name) => (typeof jwk[name] === "string" ? [[name, jwk[name]]] : [])));
}

function algorithmsOf({ asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject): readonly AccessTokenAlgorithm[] {
  const { modulusLength = 0, namedCurve } = asymmetricKeyDetails ?? {};
  if (type === "rsa" && modulusLength >= minRsaBits) return ["RS256", "PS256"];
  if (type === "ec" && namedCurve === "prime256v1") return ["ES256"];
  return type === "ed25519" ? ["EdDSA"] : [];
}

function verificationKey(jwk: Readonly<Record<string, unknown>>): VerificationKey | undefined {
  try {
    const key = createPublicKey({ format: "jwk", key: publicPart(jwk) });
    const declaredAlgorithm = text(jwk["alg"]);
    const algorithms = algorithmsOf(key).filter(
      (algorithm) => declaredAlgorithm === undefined || declaredAlgorithm === algorithm,
    );
    return algorithms.length === 0 ? undefined : { key, algorithms };
  } catch {
    return undefined;
  }
}

/**
 * Parses a JWK set (RFC 7517). Keys that cannot be used here (other uses or types, weak or damaged ones, without `kid`) are ignored, as RFC
 * 7517 §5 recommends.
 *
 * @throws AppError UPSTREAM_UNAVAILABLE if it is not a key set, or none of its keys is usable
 */
function parseKeySet(value: unknown): KeySet {
  const listed = isMapping(value) ? value["keys"] : undefined;
  if (!Array.isArray(listed) || listed.length > maxKeys) {
    throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "not a JWK set" });
  }
  const found = new Map<string, VerificationKey>();
  for (const jwk of listed) {
    if (!isMapping(jwk) || (jwk["use"] ?? "sig") !== "sig") continue;
    const kid = text(jwk["kid"]);
    const key = kid === undefined ? undefined : verificationKey(jwk);
    if (kid !== undefined && key !== undefined) found.set(kid, key);
  }
  if (found.size === 0) throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "the JWK set contains no usable key" });
  return found;
}

/** Loads a JWK set as JSON; reads it again at each call. Rejects if it cannot be read. */
export type LoadKeySet = (signal: AbortSignal) => Promise<unknown>;

const maxBytes = 256 * 1024;
const wanted = { what: "JWK set", accept: "application/json", maxBytes } as const;

function parse(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes).toString("utf8"));
}

export function keySetFile(path: string): LoadKeySet {
  return async () => {
    await using file = await open(path, "r");
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes + 1), 0, maxBytes + 1, 0);
    if (bytesRead > maxBytes) throw tooLarge(wanted);
    return parse(buffer.subarray(0, bytesRead));
  };
}

export function keySetUrl(url: string): LoadKeySet {
  return async (signal) => {
    const response = await fetch(url, { signal, redirect: "error", headers: { accept: wanted.accept } });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw wrongStatus(wanted, response.status);
    }
    return parse(await readDocument(response.body, wanted));
  };
}

/** Reads a URL that anyone may have chosen. */
export function guardedKeySetUrl(text: string, refuse: RefuseAddress): LoadKeySet {
  return async (signal) => parse(await guardedDocument(text, { refuse, wanted, signal }));
}

const firstPauseMs = 100;
/** The share of the time spent waiting for the source. */
const share = 0.1;

/**
 * The pause before a key source that has never answered is queried again: a tenth of the time since the start, at most `maxMs`. Keys are
 * therefore available within about a second of a source that took ten seconds to start. Randomised, because all replicas of a service start
 * together.
 *
 * @param random from 0 to 1
 */
export function firstPause(waitedMs: number, maxMs: number, random: number): number {
  const pause = Math.min(maxMs, Math.max(firstPauseMs, waitedMs * share));
  return pause * (0.5 + random / 2);
}

/** The keys that sign access tokens: kept in memory and refreshed in the background. */
export type KeySource = ReturnType<typeof createKeySource>;

interface KeySourceOptions {
  readonly load: LoadKeySet;
  readonly clock: Clock;
  readonly refreshMs: number;
  /**
   * Minimum time between two fetches because of an unknown key, and after a failure; shorter before the first success.
   */
  readonly retryAfterMs: number;
  readonly timeoutMs: number;
  /** Called for the first of consecutive failures. */
  readonly onError: (error: unknown) => void;
}

/** For the first attempts; only a hung source uses it up. */
const firstTimeoutMs = 1000;

/**
 * Fetches immediately and then every `refreshMs`. While the source is unavailable, the last keys remain in use. A source that has never
 * answered is queried again soon, on a timer only: incoming requests do not cause additional fetches.
 */
export function createKeySource({ load, clock, refreshMs, retryAfterMs, timeoutMs, onError }: KeySourceOptions) {
  let keys: KeySet = new Map();
  /** Whether the last fetch succeeded: only then is an absent key unknown. */
  let isCurrent = false;
  let fetchedAtMs = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let fetching: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const startedAtMs = clock.now();
  const waitedMs = (): number => clock.now() - startedAtMs;
  const hasKeys = (): boolean => keys.size > 0;
  const attemptMs = (): number => (hasKeys() ? timeoutMs : Math.min(timeoutMs, Math.max(firstTimeoutMs, waitedMs())));
  const pauseMs = (): number => {
    if (isCurrent) return refreshMs;
    return hasKeys() ? retryAfterMs : firstPause(waitedMs(), retryAfterMs, Math.random());
  };

  const fetchKeys = async (): Promise<void> => {
    try {
      keys = parseKeySet(await load(abortAfter(attemptMs())));
      isCurrent = true;
      failures = 0;
    } catch (error) {
      isCurrent = false;
      failures += 1;
      if (failures === 1) onError(error);
    }
    fetchedAtMs = clock.now();
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
    timer = setTimeout(() => void refresh(), afterMs).unref();
  };
  void refresh();
  return {
    /** Returns a key that is in memory, synchronously. */
    held: (kid: string): VerificationKey | undefined => keys.get(kid),
    /** Queries the source for a key that is not in memory, at most once per `retryAfterMs`. Never rejects. */
    find: async (kid: string) => {
      if (fetching !== undefined || clock.now() - fetchedAtMs >= retryAfterMs) await refresh();
      const key = keys.get(kid);
      if (key !== undefined) return { outcome: "found", key } as const;
      // While the source cannot be queried, the key may exist.
      return { outcome: isCurrent ? "unknown" : "unavailable" } as const;
    },
    close: (): void => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
