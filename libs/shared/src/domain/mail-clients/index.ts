export * from "./mail-services.ts";
