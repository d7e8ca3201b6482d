import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalIp } from "../../platform/net/ip.ts";
import { networkOf } from "../brute-force/index.ts";
import { flushedAddress } from "./flushes.ts";

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["192.0.2.0/24", "192.0.2.0"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["2001:DB8:1:2::/64", "2001:db8:1:2::"],
  ["2001:db8::1", "2001:db8::1"],
])("%s stands for %s", (text, address) => {
  expect(flushedAddress(text)).toBe(address);
});

test.each(["", "x", "192.0.2.999", "192.0.2.7/24", "192.0.2.0/33", "192.0.2.0/0", "192.0.2.0/24/1", "192.0.2.0/", "*"])(
  "%s is not an address",
  (text) => {
    expect(flushedAddress(text)).toBeUndefined();
  },
);

test("every network of a rule is accepted as the list shows it", () => {
  const lengths = fc.integer({ min: 1, max: 32 });
  fc.assert(
    fc.property(fc.ipV4(), lengths, (address, length) => {
      const network = networkOf(canonicalIp(address) ?? "", length);
      expect(flushedAddress(network)).toBe(network.split("/")[0]);
    }),
  );
  fc.assert(
    fc.property(fc.ipV6(), fc.integer({ min: 1, max: 128 }), (address, length) => {
      const canonical = canonicalIp(address) ?? "";
      fc.pre(canonical.includes(":"));
      const network = networkOf(canonical, length);
      expect(flushedAddress(network)).toBe(canonicalIp(network.split("/")[0] ?? ""));
    }),
  );
});
