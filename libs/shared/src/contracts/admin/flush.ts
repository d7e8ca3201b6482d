import { type Static, Type } from "typebox";
import { Envelope } from "./envelope.ts";

/** Body of `DELETE /api/v1/cache/flush`: an account or login name, taken literally. */
export const CacheFlushRequest = Type.Object({
  user: Type.String({ minLength: 1, maxLength: 1024, pattern: "^[^*?]+$", description: "no wildcards" }),
});
export type CacheFlushRequest = Static<typeof CacheFlushRequest>;

const removedKeys = Type.Array(Type.String(), { description: "exactly the keys that were there and are gone, sorted" });
const status = Type.String({ description: "how many keys were flushed" });

/** Answer of `DELETE /api/v1/cache/flush`. */
export const CacheFlush = Envelope(
  "cache",
  "flush",
  Type.Object({ user: Type.String(), removed_keys: removedKeys, status }),
);
export type CacheFlush = Static<typeof CacheFlush>;

/** Body of `DELETE /api/v1/bruteforce/flush`. */
export const BruteForceFlushRequest = Type.Object({
  ip_address: Type.String({ minLength: 1, maxLength: 128, description: "address, or network as the list names it" }),
  rule_name: Type.String({ minLength: 1, maxLength: 255, description: "* is every rule" }),
  protocol: Type.Optional(Type.String({ maxLength: 255, description: "only rules that are restricted to it" })),
  oidc_cid: Type.Optional(Type.String({ maxLength: 255, description: "only rules that are restricted to it" })),
});
export type BruteForceFlushRequest = Static<typeof BruteForceFlushRequest>;

/** Answer of `DELETE /api/v1/bruteforce/flush`; the request's members are echoed, absent ones as empty strings. */
export const BruteForceFlush = Envelope(
  "bruteforce",
  "flush",
  Type.Object({
    ip_address: Type.String(),
    rule_name: Type.String(),
    protocol: Type.String(),
    oidc_cid: Type.String(),
    removed_keys: removedKeys,
    status,
  }),
);
export type BruteForceFlush = Static<typeof BruteForceFlush>;
