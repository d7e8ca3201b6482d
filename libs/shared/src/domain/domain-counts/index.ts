export * from "./domain-counts.ts";
