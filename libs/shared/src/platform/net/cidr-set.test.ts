import { expect, test } from "vitest";
import { createCidrSet, parseCidr } from "./cidr-set.ts";

test.each([
  ["192.0.2.0/24", "192.0.2.77", true],
  ["192.0.2.0/24", "192.0.3.1", false],
  ["192.0.2.1", "192.0.2.1", true],
  ["192.0.2.1", "::ffff:192.0.2.1", true],
  ["2001:db8::/32", "2001:db8:1::9", true],
  ["2001:db8::/32", "192.0.2.1", false],
  ["0.0.0.0/0", "203.0.113.9", true],
])("%s has %s: %s", (entry, address, expected) => {
  expect(createCidrSet([entry]).has(address)).toBe(expected);
});

test.each(["192.0.2.0/33", "2001:db8::/129", "192.0.2.0/", "192.0.2.0/8/8", "example.test", "", "fe80::1%eth0"])(
  "%j is rejected",
  (entry) => {
    expect(parseCidr(entry)).toBeUndefined();
    expect(() => createCidrSet([entry])).toThrow(RangeError);
  },
);

test("text that is not an address is in no set", () => {
  expect(createCidrSet(["0.0.0.0/0", "::/0"]).has("unknown")).toBe(false);
});
