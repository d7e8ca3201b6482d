import { type Static, Type } from "typebox";
import { Envelope } from "./envelope.ts";

/** Body of `DELETE /api/v1/cache/flush`: an account or login name, taken literally. */
export const CacheFlushRequest = Type.Object({
  user: Type.String({
    minLength: 1,
    maxLength: 1024,
    pattern: "^[^*?]+$",
    description: "User name. Wildcards are not allowed.",
  }),
});
export type CacheFlushRequest = Static<typeof CacheFlushRequest>;

const removedKeys = Type.Array(Type.String(), { description: "The removed keys, sorted." });
const status = Type.String({ description: "Number of removed keys, as a sentence." });

/** Answer of `DELETE /api/v1/cache/flush`. */
export const CacheFlush = Envelope(
  "cache",
  "flush",
  Type.Object({ user: Type.String(), removed_keys: removedKeys, status }),
);
export type CacheFlush = Static<typeof CacheFlush>;

/** Body of `DELETE /api/v1/bruteforce/flush`. */
export const BruteForceFlushRequest = Type.Object({
  ip_address: Type.String({
    minLength: 1,
    maxLength: 128,
    description: "Address, or a network as it appears in the list of bans.",
  }),
  rule_name: Type.String({
    minLength: 1,
    maxLength: 255,
    description: "Name of the brute-force rule. * selects all rules.",
  }),
  protocol: Type.Optional(
    Type.String({ maxLength: 255, description: "Selects only rules that are limited to this value." }),
  ),
  oidc_cid: Type.Optional(
    Type.String({ maxLength: 255, description: "Selects only rules that are limited to this value." }),
  ),
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
