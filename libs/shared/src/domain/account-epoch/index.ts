export { createAccountFlush, createAccountKeys, nameDigest } from "./flush-account.ts";
