import * as fc from "fast-check";
import { expect, test } from "vitest";
import { zoneQuestion } from "./rbl.ts";

test.each([
  ["203.0.113.9", { family: "ipv4", reversed: "9.113.0.203" }],
  ["::ffff:203.0.113.9", { family: "ipv4", reversed: "9.113.0.203" }],
  [
    "2001:db8:1:2:3:4:567:89ab",
    { family: "ipv6", reversed: "b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.8.b.d.0.1.0.0.2" },
  ],
  ["nowhere", undefined],
  ["", undefined],
])("%s is looked up as %j (RFC 5782)", (address, expected) => {
  expect(zoneQuestion(address)).toEqual(expected);
});

test("an IPv6 address becomes 32 nibbles, an IPv4 address its octets in reverse order", () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      expect(zoneQuestion(address)?.reversed.split(".").toReversed().join(".")).toBe(address);
    }),
  );
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const question = zoneQuestion(address);
      if (question?.family === "ipv6") expect(question.reversed).toMatch(/^(?:[0-9a-f]\.){31}[0-9a-f]$/);
    }),
  );
});
