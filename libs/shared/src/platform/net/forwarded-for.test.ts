import fc from "fast-check";
import { expect, test } from "vitest";
import { createCidrSet } from "./cidr-set.ts";
import { resolveForwardedFor } from "./forwarded-for.ts";

const trusted = createCidrSet(["127.0.0.1", "::1", "10.0.0.0/8"]);

test.each([
  [
    "a peer that is not a proxy cannot set another address",
    "203.0.113.9",
    "198.51.100.1",
    "198.51.100.2",
    "203.0.113.9",
  ],
  ["one proxy names its client", "127.0.0.1", "198.51.100.1", undefined, "198.51.100.1"],
  ["the mapped form of a trusted peer is trusted", "::ffff:127.0.0.1", "198.51.100.1", undefined, "198.51.100.1"],
  [
    "addresses that the client added on the left do not count",
    "127.0.0.1",
    "6.6.6.6, 198.51.100.1",
    undefined,
    "198.51.100.1",
  ],
  ["trusted hops on the right are skipped", "127.0.0.1", "6.6.6.6, 198.51.100.1, 10.1.2.3", undefined, "198.51.100.1"],
  [
    "if all hops are trusted proxies, the farthest one is used",
    "127.0.0.1",
    "10.9.9.9, 10.1.2.3",
    undefined,
    "10.9.9.9",
  ],
  [
    "an invalid value ends the search at the last valid address",
    "127.0.0.1",
    "198.51.100.1, junk, 10.1.2.3",
    undefined,
    "10.1.2.3",
  ],
  ["ports are not part of the address", "127.0.0.1", "[2001:db8::7]:4711", undefined, "2001:db8::7"],
  ["X-Real-IP replaces a missing header", "127.0.0.1", undefined, "198.51.100.2", "198.51.100.2"],
  ["X-Real-IP that is not an address is ignored", "127.0.0.1", undefined, "junk", "127.0.0.1"],
])("%s", (_rule, peer, forwardedFor, realIp, expected) => {
  expect(resolveForwardedFor({ peer, forwardedFor, realIp }, trusted)).toBe(expected);
});

test("an untrusted peer's own address is used, whatever it sends", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (forwardedFor, realIp) => {
      expect(resolveForwardedFor({ peer: "203.0.113.9", forwardedFor, realIp }, trusted)).toBe("203.0.113.9");
    }),
  );
});

test("an untrusted hop's address is used, whatever is on its left", () => {
  fc.assert(
    fc.property(fc.string(), (left) => {
      const forwardedFor = `${left}, 198.51.100.1, 10.0.0.7`;
      expect(resolveForwardedFor({ peer: "127.0.0.1", forwardedFor }, trusted)).toBe("198.51.100.1");
    }),
  );
});
