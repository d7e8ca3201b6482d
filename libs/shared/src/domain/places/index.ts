export * from "./locate.ts";
