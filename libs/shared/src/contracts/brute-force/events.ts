import { Type } from "typebox";
import { defineEvent } from "../define.ts";
import { text } from "../schema.ts";

/**
 * Bans of these addresses were flushed: engines that remember them for an outage of Redis remove them. If it is lost, they
 * remain there until the next attempt from the network while Redis is available, or until they expire.
 */
export const bruteForceFlushed = defineEvent({
  domain: "brute-force",
  fact: "flushed",
  major: 1,
  body: Type.Object({
    addresses: Type.Array(Type.String({ maxLength: 64 }), { maxItems: 1000 }),
    rules: Type.Array(Type.String({ maxLength: 1024 }), { description: "Names of the selected rules." }),
  }),
});

/**
 * A network was banned. Engines remember the ban for an outage of Redis. If it is lost, they learn of the ban when the network next sends a
 * request to them, or when they are started.
 */
export const networkBanned = defineEvent({
  domain: "brute-force",
  fact: "banned",
  major: 1,
  body: Type.Object({
    rule: Type.String({ maxLength: 1024 }),
    network: text("In CIDR notation.", { maxLength: 64 }),
    bannedAtMs: Type.Number({ description: "Milliseconds since the epoch, by the clock of Redis." }),
    expiresAtMs: Type.Number({ description: "Milliseconds since the epoch, by the clock of Redis." }),
  }),
});
