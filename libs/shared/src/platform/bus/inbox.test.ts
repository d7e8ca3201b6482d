import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatReplySubject, parseReplySubject } from "./inbox.ts";

const batches = fc.record({
  firstId: fc.integer({ min: 0, max: 0xffff_ffff }),
  count: fc.integer({ min: 1, max: 128 }),
  sentAtMs: fc.integer({ min: 0, max: 8.64e15 }),
});

test("a batch's reply subject contains its inbox, its ids and its time", () => {
  fc.assert(
    fc.property(batches, (batch) => {
      const inbox = "ns.inbox.gateway.ABC";
      expect(parseReplySubject(formatReplySubject(inbox, batch))).toEqual({ inbox, ...batch });
    }),
  );
});

test("a foreign reply subject is not parsed", () => {
  for (const subject of [undefined, "", "_INBOX.x.y", ".b.1-1-1", "x.b", "x.b.1-1", "x.b.1-1-1.y"]) {
    expect(parseReplySubject(subject)).toBeUndefined();
  }
});
