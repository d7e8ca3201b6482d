import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalIp, embeddedIpv4 } from "./ip.ts";

test.each([
  ["2002:c633:6407::1", "6to4 of a documentation address", "198.51.100.7"],
  ["2002:808:808::1", "6to4", "8.8.8.8"],
  ["2002:808:808:ffff:1:2:3:4", "6to4, another network of the same client", "8.8.8.8"],
  ["2001:0:4136:e378:8000:63bf:f7f7:f7f7", "Teredo", "8.8.8.8"],
  ["64:ff9b::808:808", "NAT64", "8.8.8.8"],
  ["64:ff9b:1::808:808", "a prefix of a site's own translator", undefined],
  ["2002:a00:1::1", "6to4 of a private address", undefined],
  ["2002:7f00:1::1", "6to4 of this machine", undefined],
  ["2001:db8::808:808", "an ordinary address", undefined],
  ["2001:1:4136:e378:8000:63bf:f7f7:f7f7", "beside Teredo", undefined],
  ["::808:808", "IPv4-compatible", undefined],
  ["8.8.8.8", "IPv4", undefined],
])("%s (%s) is %j", (address, _what, expected) => {
  expect(embeddedIpv4(canonicalIp(address) ?? "")).toBe(expected);
});

test("all networks of one 6to4 or Teredo client have its IPv4 address", () => {
  const group = fc.integer({ min: 0, max: 0xffff });
  fc.assert(
    fc.property(fc.array(group, { minLength: 5, maxLength: 5 }), (free) => {
      const [a = 0, b = 0, c = 0, d = 0, e = 0] = free.map((value) => value.toString(16));
      expect(embeddedIpv4(canonicalIp(`2002:808:808:${a}:${b}:${c}:${d}:${e}`) ?? "")).toBe("8.8.8.8");
      expect(embeddedIpv4(canonicalIp(`2001:0:${a}:${b}:${c}:${d}:f7f7:f7f7`) ?? "")).toBe("8.8.8.8");
    }),
  );
});
