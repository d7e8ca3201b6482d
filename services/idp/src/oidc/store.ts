import type { AdapterPayload } from "oidc-provider";

/** What a record is found by, beside its own identifier. */
export type IndexKind = "account" | "client" | "grant";

/** A record of an index, as it is listed. */
export interface StoredRecord {
  readonly model: string;
  /** SHA-256 of the identifier, base64url: what the session list shows as `id`. */
  readonly digest: string;
  readonly payload: AdapterPayload;
}

export interface RecordRef {
  readonly model: string;
  readonly digest: string;
}

/** What consuming a record gives: who comes second gets `used`. */
export type Consumption = "consumed" | "used" | "unknown";

/** Everything that the provider keeps, sealed and under hashed names. Rejects when Redis does not answer. */
export interface OidcStore {
  put(ref: RecordRef, payload: AdapterPayload, ttlSeconds: number): Promise<void>;
  find(ref: RecordRef): Promise<AdapterPayload | undefined>;
  /** Once; within the grace of the model again, with the same answer. */
  consume(ref: RecordRef): Promise<Consumption>;
  /** The successor of a used refresh token: the first that is offered, for everybody. */
  elect(ref: RecordRef, successor: string): Promise<string>;
  /**
   * Lets a record live until then (seconds since the epoch), and a while longer. Undefined for one that is gone: it
   * never comes back.
   */
  prolong(ref: RecordRef, untilSeconds: number): Promise<AdapterPayload | undefined>;
  destroy(ref: RecordRef): Promise<void>;
  list(kind: IndexKind, id: string): Promise<readonly StoredRecord[]>;
  /** All of an index, of these models or all. */
  destroyAll(kind: IndexKind, id: string, models?: readonly string[]): Promise<void>;
  /** Some of an index. */
  destroyListed(kind: IndexKind, id: string, refs: readonly RecordRef[]): Promise<void>;
  byUserCode(userCode: string): Promise<AdapterPayload | undefined>;
  /** Whether this was seen for the first time. */
  unseen(id: string, ttlSeconds: number): Promise<boolean>;
}
