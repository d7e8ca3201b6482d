/** One kind of key. Every key that is written is built here (ADR 0004). */
export interface KeyFamily<Parts extends readonly string[]> {
  readonly name: string;
  /** The service that writes it. */
  readonly owner: string;
  readonly role: "state" | "queue" | "cache";
  readonly type: "string" | "hash" | "list" | "zset" | "set" | "stream";
  readonly ttlSeconds: number;
  /** What limits its lifetime instead of a TTL; for the documentation. */
  readonly bound?: string;
  /** The effect of losing it; for the documentation. */
  readonly lost: string;
  /** Names of the parts; for the documentation. */
  readonly parts: { readonly [Index in keyof Parts]: string };
  readonly build: (prefix: string, ...parts: Parts) => string;
}
