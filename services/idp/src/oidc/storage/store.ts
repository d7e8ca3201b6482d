import type { AdapterPayload } from "oidc-provider";

/** What a record can be found by besides its identifier. */
export type IndexKind = "account" | "client" | "grant";

/** A record listed from an index. */
export interface StoredRecord {
  readonly model: string;
  /** SHA-256 of the identifier, base64url; the `id` in the session list. */
  readonly digest: string;
  readonly payload: AdapterPayload;
}

export interface RecordRef {
  readonly model: string;
  readonly digest: string;
}

/** Result of consuming a record; the second caller receives `used`. */
export type Consumption = "consumed" | "used" | "unknown";

/** All records of the provider, encrypted and under hashed names. Methods reject when Redis does not respond. */
export interface OidcStore {
  put(ref: RecordRef, payload: AdapterPayload, ttlSeconds: number): Promise<void>;
  find(ref: RecordRef): Promise<AdapterPayload | undefined>;
  /** Consumes a record once; within the grace period of its model again, with the same result. */
  consume(ref: RecordRef): Promise<Consumption>;
  /** The successor of a used refresh token: the first one offered wins, for all callers. */
  elect(ref: RecordRef, successor: string): Promise<string>;
  /**
   * Extends a record until at least this time (seconds since the epoch). Undefined for a record that no longer exists: it
   * is never restored.
   */
  prolong(ref: RecordRef, untilSeconds: number): Promise<AdapterPayload | undefined>;
  destroy(ref: RecordRef): Promise<void>;
  list(kind: IndexKind, id: string): Promise<readonly StoredRecord[]>;
  /** Deletes all records of an index, or those of these models. */
  destroyAll(kind: IndexKind, id: string, models?: readonly string[]): Promise<void>;
  /** Deletes some records of an index. */
  destroyListed(kind: IndexKind, id: string, refs: readonly RecordRef[]): Promise<void>;
  byUserCode(userCode: string): Promise<AdapterPayload | undefined>;
  /** Whether this was seen for the first time. */
  unseen(id: string, ttlSeconds: number): Promise<boolean>;
}
