/** Entry point of the worker threads of `sha-crypt-pool.ts`. */
export { computeShaCryptDigest } from "./sha-crypt-digest.ts";
