export {
  type AccountFlushDeps,
  type AccountKeys,
  createAccountFlush,
  createAccountKeys,
  type FindAccountKeys,
  type FlushAccount,
  type FlushedAccount,
} from "./flush-account.ts";
export { nameDigest } from "./name-digest.ts";
