import { Type } from "typebox";
import { defineEvent } from "../define.ts";

/**
 * Bans of these addresses were flushed: whoever remembers them for an outage of Redis forgets them. Lost, they stand
 * there until the next attempt from the network while Redis is there, or until their own end.
 */
export const bruteForceFlushed = defineEvent({
  domain: "brute-force",
  fact: "flushed",
  major: 1,
  body: Type.Object({
    addresses: Type.Array(Type.String({ maxLength: 64 }), { maxItems: 1000 }),
    rules: Type.Array(Type.String({ maxLength: 1024 }), { description: "names of the rules that were meant" }),
  }),
});
