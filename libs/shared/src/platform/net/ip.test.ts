import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalIp } from "./ip.ts";

test.each([
  ["192.0.2.1", "192.0.2.1"],
  [" 192.0.2.1 ", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::FFFF:c000:0201", "192.0.2.1"],
  ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
  ["[2001:db8::1]", "2001:db8::1"],
  ["fe80::1%eth0", "fe80::1"],
])("%s reads as %s", (text, expected) => {
  expect(canonicalIp(text)).toBe(expected);
});

test.each([
  "",
  "unknown",
  "192.0.2",
  "192.0.2.256",
  "0x7f000001",
  "2130706433",
  "127.1",
  "1.2.3.4:80",
  "::1::",
  "host.example",
])("%j is not an address", (text) => {
  expect(canonicalIp(text)).toBeUndefined();
});

test("the canonical text is stable, and no text throws", () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), (text) => {
      const canonical = canonicalIp(text);
      if (canonical !== undefined) expect(canonicalIp(canonical)).toBe(canonical);
    }),
  );
});
