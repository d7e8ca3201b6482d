import type { CachedResult } from "./cached-result.ts";

/** `result`: right logins. `identity`: look-ups without a password. Neither is ever read as the other. */
export type CacheFamily = "result" | "identity";

export interface CacheQuestion {
  readonly family: CacheFamily;
  /** The login name, as the caller gave it. */
  readonly username: string;
  /** `securityContext`. */
  readonly context: string;
}

/** What was there before a directory was asked: a result is stored only when no flush came since. */
export interface SharedLook {
  readonly result: CachedResult | undefined;
  /** Epochs of the accounts that were looked at. */
  readonly epochs: ReadonlyMap<string, string>;
  /** Stands in for the epoch of an account that was not known yet. */
  readonly generation: string;
}

export interface SharedWrite {
  readonly result: CachedResult;
  readonly look: SharedLook;
  readonly ttlMs: number;
}

/** Port of the cache that all engines share. Both reject when it cannot be reached. */
export interface SharedCache {
  read(question: CacheQuestion): Promise<SharedLook>;
  /** False when a flush came between the look and now: then nothing is stored, and nobody else may keep it either. */
  write(question: CacheQuestion, write: SharedWrite): Promise<boolean>;
}
