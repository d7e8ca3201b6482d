import { Type } from "typebox";
import { defineEvent } from "../define.ts";

/**
 * These accounts were flushed: their cached results in memory are removed. If the event is lost, these remain until
 * they expire; the epoch in Redis invalidates the shared cache in any case.
 */
export const accountFlushed = defineEvent({
  domain: "account",
  fact: "flushed",
  major: 1,
  body: Type.Object({
    /** Account names and login names whose entries are removed. */
    names: Type.Array(Type.String(), { maxItems: 256 }),
  }),
});
