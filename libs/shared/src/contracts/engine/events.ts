import { Type } from "typebox";
import { defineEvent } from "../define.ts";

/** Interval of heartbeats. Timeouts of listeners are multiples of it. */
export const engineHeartbeatMs = 200;

/** The heartbeat of an engine. A gateway without heartbeats does not wait for answers. */
export const engineAlive = defineEvent({
  domain: "engine",
  fact: "alive",
  major: 1,
  body: Type.Object({
    instance: Type.String({
      minLength: 1,
      maxLength: 256,
      description: "Identifier of the process among its replicas.",
    }),
    inFlight: Type.Integer({ minimum: 0, description: "Number of requests in progress." }),
  }),
});
