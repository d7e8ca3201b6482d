import { Type } from "typebox";
import { defineEvent } from "../define.ts";
import { optionalFlag, text } from "../schema.ts";

/** Interval of heartbeats. Timeouts of listeners are multiples of it. */
export const engineHeartbeatMs = 200;

/** The heartbeat of an engine. Services send requests to engines whose heartbeats arrive, and do not wait for the others. */
export const engineAlive = defineEvent({
  domain: "engine",
  fact: "alive",
  major: 1,
  body: Type.Object({
    instance: text("Identifier of the process among its replicas.", { minLength: 1, maxLength: 256 }),
    inFlight: Type.Integer({ minimum: 0, description: "Number of requests in progress." }),
    addressed: optionalFlag(
      "Whether the engine serves its methods on its own subjects too, and counts a request once that another engine has received as well. Absent from earlier versions.",
    ),
    connection: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          "How often the engine has connected to NATS. When it changes, requests to the engine and its replies may have been lost. Absent from earlier versions.",
      }),
    ),
    draining: optionalFlag("Whether the engine is shutting down and takes no new requests."),
  }),
});
