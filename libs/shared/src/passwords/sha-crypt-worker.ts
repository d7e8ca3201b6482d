/** What the worker threads of `sha-crypt-pool.ts` load. */
export { computeShaCryptDigest } from "./sha-crypt-digest.ts";
