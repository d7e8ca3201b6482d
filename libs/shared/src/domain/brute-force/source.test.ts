import fc from "fast-check";
import { expect, test } from "vitest";
import type { BruteForceRule } from "./rules.ts";
import { accountWideKeys, foldedName, knownNetworkOf, type SourceParts, sourceOf } from "./source.ts";

const rule = (name: string, cidr: number, family: "ipv4" | "ipv6"): BruteForceRule => ({
  name,
  periodMs: 600_000,
  banMs: 3_600_000,
  cidr,
  failedRequests: 10,
  ipv4: family === "ipv4",
  ipv6: family === "ipv6",
  protocols: [],
  oidcClientIds: [],
});

const parts = (...rules: BruteForceRule[]): SourceParts => ({ keyPrefix: "p:", rules, clientCidr6: 64, tolerateMs: 0 });
const both = parts(rule("v4", 24, "ipv4"), rule("v6", 64, "ipv6"), rule("v6-site", 48, "ipv6"));

const networksOf = (address: string, sourceParts = both) =>
  sourceOf(address, sourceParts)?.scopes.map(({ network }) => network);

test.each([
  ["6to4", "2002:c633:6407:1::1", "2002:c633:6407:ffff::2"],
  ["Teredo", "2001:0:1:2:3:4:39cc:9bf8", "2001:0:ffff::1:39cc:9bf8"],
  ["NAT64", "64:ff9b::c633:6407", "64:ff9b::c633:6407"],
  ["a mapped address", "::ffff:198.51.100.7", "::ffff:198.51.100.7"],
])("all networks of one client by %s count as its IPv4 network", (_way, ...addresses) => {
  for (const address of addresses) {
    expect(networksOf(address)).toEqual(["198.51.100.0/24"]);
    expect(sourceOf(address, both)).toEqual(sourceOf("198.51.100.7", both));
    expect(knownNetworkOf(address)).toBe("198.51.100.0/24");
  }
});

test("if only IPv6 is counted, such a client is counted by its IPv6 network", () => {
  expect(networksOf("2002:c633:6407:1::1", parts(rule("v6", 64, "ipv6")))).toEqual(["2002:c633:6407:1::/64"]);
});

test("two rules for IPv6 count a customer's /64 and a site's /48", () => {
  expect(networksOf("2001:db8:1:2::3")).toEqual(["2001:db8:1:2::/64", "2001:db8:1::/48"]);
});

test.each([
  ["Alice@Example.Test", "alice@example.test"],
  ["  alice \t smith\u00a0", "alice smith"],
  ["ａｌｉｃｅ", "alice"],
  ["ALİCE", "ali\u0307ce"],
  ["straße", "straße"],
  ["", ""],
  ["   ", ""],
])("the name %j is counted as %j", (typed, folded) => {
  expect(foldedName(typed)).toBe(folded);
  expect(accountWideKeys("p:", typed)).toEqual(accountWideKeys("p:", folded));
});

test("folding a folded name does not change it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (name) => {
      const folded = foldedName(name);
      expect(foldedName(folded)).toBe(folded);
    }),
    { numRuns: 2000 },
  );
});
