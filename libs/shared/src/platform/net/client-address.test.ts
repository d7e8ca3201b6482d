import { isIP, isIPv4, isIPv6 } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readClientAddress } from "./forwarded-for.ts";
import { canonicalIp } from "./ip.ts";

test.each([
  ["203.0.113.9", { address: "203.0.113.9" }],
  [" 203.0.113.9 ", { address: "203.0.113.9" }],
  ["203.0.113.9:51234", { address: "203.0.113.9", port: "51234" }],
  ["203.0.113.9:0", { address: "203.0.113.9", port: "0" }],
  ["203.0.113.9:00080", { address: "203.0.113.9", port: "80" }],
  ["2001:DB8::1", { address: "2001:db8::1" }],
  ["[2001:db8::1]", { address: "2001:db8::1" }],
  ["[2001:db8::1]:51234", { address: "2001:db8::1", port: "51234" }],
  ["::ffff:203.0.113.9", { address: "203.0.113.9" }],
  ["[::ffff:203.0.113.9]:51234", { address: "203.0.113.9", port: "51234" }],
  ["fe80::1%eth0", { address: "fe80::1" }],
  ["[fe80::1%eth0]:51234", { address: "fe80::1", port: "51234" }],
  ["2001:db8::1:5123", { address: "2001:db8::1:5123" }],
])("%j names a client", (text, expected) => {
  expect(readClientAddress(text)).toEqual(expected);
});

test.each([
  "",
  " ",
  "-",
  "unknown",
  "localhost",
  "mail.example.test",
  "203.0.113.9, 198.51.100.7",
  "203.0.113.9 198.51.100.7",
  "203.0.113.9:",
  "203.0.113.9:x",
  "203.0.113.9:65536",
  "203.0.113.9:123456",
  "203.0.113.9/32",
  "203.0.113",
  "203.0.113.09",
  "3405803785",
  "0xcb007109",
  "[203.0.113.9]",
  "[203.0.113.9]:51234",
  "[2001:db8::1",
  "2001:db8::1]:51234",
  "[2001:db8::1]x",
  "[2001:db8::1]:65536",
  "[[2001:db8::1]]",
  "unix:/run/mail.sock",
  "0.0.0.0",
  "0.0.0.0:25",
  "::",
  "[::]:25",
  "::ffff:0.0.0.0",
  "203.0.113.9\u0000",
  "２０３.0.113.9",
])("%j names no client", (text) => {
  expect(readClientAddress(text)).toBeUndefined();
});

describe("for any text", () => {
  const address = fc
    .oneof(fc.ipV4(), fc.ipV6())
    .map((text) => canonicalIp(text) ?? "")
    .filter((text) => text !== "" && text !== "0.0.0.0" && text !== "::");

  test("an address is the same with and without a port", () => {
    fc.assert(
      fc.property(address, fc.integer({ min: 0, max: 65_535 }), (host, port) => {
        const text = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
        expect(readClientAddress(host)).toEqual({ address: host });
        expect(readClientAddress(text)).toEqual({ address: host, port: String(port) });
      }),
    );
  });

  test("a parsed address is canonical, and parses to itself", () => {
    const piece = fc.constantFrom("203.0.113.9", "2001:db8::1", "::ffff:", "[", "]", ":", "%eth0", "25", ",", " ", "x");
    const text = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join("")),
    );
    fc.assert(
      fc.property(text, (input) => {
        const read = readClientAddress(input);
        if (read === undefined) return;
        expect(isIP(read.address)).not.toBe(0);
        expect(canonicalIp(read.address)).toBe(read.address);
        expect(readClientAddress(read.address)).toEqual({ address: read.address });
        expect(Number(read.port ?? 0)).toBeLessThanOrEqual(65_535);
      }),
      { numRuns: 2000 },
    );
  });

  test("a text without an address gives no client address", () => {
    fc.assert(
      fc.property(fc.string(), (input) => {
        const parts = input.split(/[[\]%\s]|:\d+$/);
        fc.pre(!parts.some((part) => isIPv4(part) || isIPv6(part)) && !input.includes(":"));
        expect(readClientAddress(input)).toBeUndefined();
      }),
    );
  });
});
