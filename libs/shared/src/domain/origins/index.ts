export * from "./origins.ts";
