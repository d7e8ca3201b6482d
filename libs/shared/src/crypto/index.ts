export { digestOf, matchesDigest } from "./constant-time.ts";
export { createKeyRing, type KeyRing } from "./key-ring.ts";
export { Secret } from "./secret.ts";
