import type { Accepted, Declined } from "./results.ts";

/** At most three; every other warning fails the run. */
export const accepted: readonly Accepted[] = [];

const byReference =
  "A request_uri of the client's choice would let any client make Postern send requests. Pushed requests (RFC 9126) replace it.";

/** Modules that fail because they demand what Postern does not offer. Every other failure fails the run. */
export const declined: readonly Declined[] = [
  {
    plan: "dynamic",
    module: "oidcc-discovery-endpoint-verification",
    reason: "The profile demands the implicit grant, which RFC 9700 advises against and Postern does not offer.",
  },
  { plan: "dynamic", module: "oidcc-request-uri-unsigned", reason: byReference },
  { plan: "dynamic", module: "oidcc-request-uri-signed-rs256", reason: byReference },
  {
    plan: "dynamic",
    module: "oidcc-ensure-request-object-with-redirect-uri",
    reason: "A client may send request objects without a signature only if it is registered with the algorithm none.",
  },
];
