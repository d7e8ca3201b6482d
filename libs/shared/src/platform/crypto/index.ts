export { digestOf, matchesDigest } from "./constant-time.ts";
export { readTokenHeader, type TokenHeader } from "./jws/token-header.ts";
export { createKeyRing, type KeyRing } from "./key-ring.ts";
export { createKeyedDigest, type KeyedDigest } from "./keyed-digest.ts";
export { Secret } from "./secret.ts";
