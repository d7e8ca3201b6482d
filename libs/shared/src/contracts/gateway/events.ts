import { Type } from "typebox";
import { defineEvent } from "../define.ts";

/**
 * The failure budget of an address is empty, for the other gateways. If it is lost, each of them evaluates one more
 * request. The time is relative, because clocks differ.
 */
export const budgetExhausted = defineEvent({
  domain: "budget",
  fact: "exhausted",
  major: 1,
  body: Type.Object({
    /** Identifier of the gateway process that sends it. */
    instance: Type.String({ maxLength: 256 }),
    addressKey: Type.String({ minLength: 1, maxLength: 64 }),
    emptyForMs: Type.Number({ minimum: 0 }),
  }),
});
