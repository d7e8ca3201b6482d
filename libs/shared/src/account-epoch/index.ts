export { type AccountFlushDeps, createAccountFlush, type FlushAccount, type FlushedAccount } from "./flush-account.ts";
export { nameDigest } from "./name-digest.ts";
