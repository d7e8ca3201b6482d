import { Type } from "typebox";
import { defineEvent } from "../define.ts";

/** How often an engine tells that it lives; what listens for it counts in multiples of this. */
export const engineBeatMs = 200;

/** An engine's sign of life: it works on what it was asked. Who hears none of any need not wait for answers. */
export const engineAlive = defineEvent({
  domain: "engine",
  fact: "alive",
  major: 1,
  body: Type.Object({
    instance: Type.String({ minLength: 1, maxLength: 256, description: "the process among its replicas" }),
    inFlight: Type.Integer({ minimum: 0, description: "requests that it is working on" }),
  }),
});
