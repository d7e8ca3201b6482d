import { Type } from "typebox";
import { defineEvent } from "../define.ts";

/**
 * The failure budget of an address is empty, for the gateways that have not found out themselves. Lost, it costs each
 * of them one evaluation more; the time is relative, as their clocks are their own.
 */
export const budgetExhausted = defineEvent({
  domain: "budget",
  fact: "exhausted",
  major: 1,
  body: Type.Object({
    /** The process that tells it. */
    instance: Type.String({ maxLength: 256 }),
    addressKey: Type.String({ minLength: 1, maxLength: 64 }),
    emptyForMs: Type.Number({ minimum: 0 }),
  }),
});
