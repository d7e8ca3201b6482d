import { type Static, Type } from "typebox";
import { optionalText, text, texts } from "../schema.ts";
import { Envelope } from "./envelope.ts";

/** Body of `DELETE /api/v1/cache/flush`: an account or login name, taken literally. */
export const CacheFlushRequest = Type.Object({
  user: text("User name. Wildcards are not allowed.", { minLength: 1, maxLength: 1024, pattern: "^[^*?]+$" }),
});
export type CacheFlushRequest = Static<typeof CacheFlushRequest>;

const removedKeys = texts("The removed keys, sorted.");
const status = text("Number of removed keys, as a sentence.");

/** Answer of `DELETE /api/v1/cache/flush`. */
export const CacheFlush = Envelope(
  "cache",
  "flush",
  Type.Object({ user: Type.String(), removed_keys: removedKeys, status }),
);
export type CacheFlush = Static<typeof CacheFlush>;

/** Body of `DELETE /api/v1/bruteforce/flush`. */
export const BruteForceFlushRequest = Type.Object({
  ip_address: text("Address, or a network as it appears in the list of bans.", { minLength: 1, maxLength: 128 }),
  rule_name: text("Name of the brute-force rule. * selects all rules.", { minLength: 1, maxLength: 255 }),
  protocol: optionalText("Selects only rules that are limited to this value.", { maxLength: 255 }),
  oidc_cid: optionalText("Selects only rules that are limited to this value.", { maxLength: 255 }),
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
