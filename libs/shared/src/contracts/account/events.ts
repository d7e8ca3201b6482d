import { Type } from "typebox";
import { defineEvent } from "../define.ts";

/**
 * These accounts were flushed: whoever keeps results of theirs in memory drops them. Lost, they live on until their
 * own short end; the epoch in Redis keeps them out of the shared cache in any case.
 */
export const accountFlushed = defineEvent({
  domain: "account",
  fact: "flushed",
  major: 1,
  body: Type.Object({
    /** Account names, and login names: what is kept under either goes. */
    names: Type.Array(Type.String(), { maxItems: 256 }),
  }),
});
