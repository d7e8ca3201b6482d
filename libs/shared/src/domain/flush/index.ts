export * from "./account-names.ts";
export * from "./flushes.ts";
