import fc from "fast-check";
import { expect, test } from "vitest";
import { createCidrSet } from "./cidr-set.ts";
import { addressKey } from "./ip.ts";

test.each([
  ["192.0.2.7", 64, "192.0.2.7"],
  ["::ffff:192.0.2.7", 64, "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", 64, "2001:db8:1:2::/64"],
  ["2001:DB8:1:2::1", 64, "2001:db8:1:2::/64"],
  ["2001:db8:1:2ff::1", 56, "2001:db8:1:200::/56"],
  ["2001:db8::1", 128, "2001:db8::1/128"],
  ["fe80::1%eth0", 64, "fe80::/64"],
  ["", 64, "unknown"],
  ["nonsense", 64, "unknown"],
])("%j by /%i is %s", (address, prefix, key) => {
  expect(addressKey(address, prefix)).toBe(key);
});

test("an IPv6 address is in its key's network, and the network has the same key", () => {
  fc.assert(
    fc.property(fc.ipV6(), fc.integer({ min: 1, max: 128 }), (address, prefix) => {
      const key = addressKey(address, prefix);
      fc.pre(key.includes(":"));
      expect(createCidrSet([key]).has(address)).toBe(true);
      expect(addressKey(key.slice(0, key.indexOf("/")), prefix)).toBe(key);
    }),
  );
});
