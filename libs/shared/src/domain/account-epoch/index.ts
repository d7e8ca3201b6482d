export * from "./flush-account.ts";
