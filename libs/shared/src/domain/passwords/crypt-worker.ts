/** Entry point of the threads of `verifier.ts`. */
export { computeShaCryptDigest } from "./sha-crypt-digest.ts";
export { computeCrypt } from "./system-crypt.ts";
