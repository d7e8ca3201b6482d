import type { Accepted, Declined } from "./results.ts";

/** At most three; every other warning fails the run. */
export const accepted: readonly Accepted[] = [];

/** Modules that fail because they demand what Postern does not offer. Every other failure fails the run. */
export const declined: readonly Declined[] = [
  {
    plan: "dynamic",
    module: "oidcc-discovery-endpoint-verification",
    reason:
      "The profile demands the implicit grant. It puts access tokens into addresses, where the browser's history, logs and referring pages reveal them, and cannot bind them to a key. RFC 9700 advises against it, and OAuth 2.1 removes it.",
  },
];
