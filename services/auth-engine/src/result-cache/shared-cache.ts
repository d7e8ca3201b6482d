import type { CachedResult } from "./cached-result.ts";

/** `result`: successful sign-ins. `identity`: lookups without a password. The two are kept apart. */
export type CacheFamily = "result" | "identity";

export interface CacheKey {
  readonly family: CacheFamily;
  /** The login name as the caller sent it. */
  readonly username: string;
  /** `securityContext`. */
  readonly context: string;
}

/** The state before a backend was queried: a result is stored only if no flush happened since. */
export interface SharedRead {
  readonly result: CachedResult | undefined;
  /** Epochs of the accounts that were read. */
  readonly epochs: ReadonlyMap<string, string>;
  /** Replaces the epoch of an account that was not yet known. */
  readonly generation: string;
}

export interface SharedWrite {
  readonly result: CachedResult;
  readonly read: SharedRead;
  readonly ttlMs: number;
}

/** Port of the cache that all engines share. Both methods reject if it is unavailable. */
export interface SharedCache {
  read(key: CacheKey): Promise<SharedRead>;
  /** False if a flush happened since the read: nothing is stored, and the caller must not cache the result either. */
  write(key: CacheKey, write: SharedWrite): Promise<boolean>;
}
