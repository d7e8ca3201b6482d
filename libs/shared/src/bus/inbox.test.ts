import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatReplySubject, inboxOfReplySubject, parseReplySubject } from "./inbox.ts";

test("a batch's reply subject tells its inbox and its ids", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffff_ffff }), fc.integer({ min: 1, max: 128 }), (firstId, count) => {
      const subject = formatReplySubject("ns.inbox.gateway.ABC", firstId, count);
      expect(parseReplySubject(subject)).toEqual({ firstId, count });
      expect(inboxOfReplySubject(subject)).toBe("ns.inbox.gateway.ABC");
    }),
  );
});

test("a reply subject that is not ours names no inbox", () => {
  for (const subject of [undefined, "", "_INBOX.x.y", ".b.1-1", "x.b"]) {
    expect(inboxOfReplySubject(subject)).toBeUndefined();
  }
});
