/** One kind of key. Every key that is ever written is built here (design rule 6). */
export interface KeyFamily<Parts extends readonly string[]> {
  readonly name: string;
  /** The service that writes it. */
  readonly owner: string;
  readonly role: "state" | "queue" | "cache";
  readonly type: "string" | "hash" | "zset" | "set";
  readonly ttlSeconds: number;
  /** What ends it in place of a TTL, in words for the documents. */
  readonly bound?: string;
  /** What is gone when Redis forgets it. */
  readonly lost: string;
  /** What the parts are called, for the documents. */
  readonly parts: { readonly [Index in keyof Parts]: string };
  readonly build: (prefix: string, ...parts: Parts) => string;
}
