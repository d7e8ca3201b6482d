export { digestOf, matchesDigest } from "./constant-time.ts";
export { Secret } from "./secret.ts";
