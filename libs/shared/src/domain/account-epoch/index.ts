export { createAccountFlush, createAccountKeys, nameDigest } from "./flush-account.ts";
export { removeKeys } from "./remove-keys.ts";
