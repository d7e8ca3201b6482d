import fc from "fast-check";
import { expect, test } from "vitest";
import { subjectOf } from "./subject.ts";

test.each([
  ["alice@example.test", { kind: "account", name: "alice@example.test" }],
  [" 203.0.113.9 ", { kind: "address", address: "203.0.113.9" }],
  ["::ffff:203.0.113.9", { kind: "address", address: "203.0.113.9" }],
  ["203.0.113.0/24", { kind: "network", address: "203.0.113.0", isWide: false }],
  ["203.0.0.0/16", { kind: "network", isWide: true }],
  ["2001:db8::/48", { kind: "network", isWide: false }],
  ["2001:db8::/32", { kind: "network", isWide: true }],
  ["7D3F91AC-20B4", { kind: "reference", reference: "7d3f91ac-20b4" }],
  ["../../etc/passwd", { kind: "account", name: "../../etc/passwd" }],
])("%s is recognised by its form", (query, subject) => {
  expect(subjectOf(query)).toMatchObject(subject);
});

test("an address contains itself only, and a network its addresses", () => {
  const address = subjectOf("203.0.113.9");
  const network = subjectOf("203.0.113.0/25");
  if (address.kind !== "address" || network.kind !== "network") throw new Error("other kinds");
  expect(["203.0.113.9", "203.0.113.8", "", "x"].map(address.contains)).toEqual([true, false, false, false]);
  expect(["203.0.113.9", "203.0.113.200", "", "2001:db8::1"].map(network.contains)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

test("any text is a subject", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.uuid()), (text) => {
      expect(["account", "address", "network", "reference"]).toContain(subjectOf(text).kind);
    }),
  );
});
