import { startDnsServer } from "@postern/shared/testing";
import { expect, test } from "vitest";
import { createDnsLookup } from "./address-lookup-dns.ts";

test("found, absent, failed and silent are told apart, within the time that is allowed", async () => {
  await using dns = await startDnsServer({
    "listed.test": ["127.0.0.2", "127.0.0.4"],
    "empty.test": [],
    "broken.test": "servfail",
    "silent.test": "silence",
  });
  const dnsLookup = createDnsLookup({ servers: [dns.address], timeoutMs: 300 });
  expect(await dnsLookup.lookUp("listed.test")).toEqual({
    kind: "found",
    addresses: ["127.0.0.2", "127.0.0.4"],
    ttlMs: 300_000,
  });
  expect(await dnsLookup.lookUp("unknown.test")).toEqual({ kind: "absent" });
  expect(await dnsLookup.lookUp("empty.test")).toEqual({ kind: "absent" });
  expect(await dnsLookup.lookUp("broken.test")).toMatchObject({ kind: "failed" });
  const started = performance.now();
  expect(await dnsLookup.lookUp("silent.test")).toMatchObject({ kind: "failed" });
  expect(performance.now() - started).toBeLessThan(1500);
});

test("nobody listening is a failure, and so is a name that cannot be one", async () => {
  const dnsLookup = createDnsLookup({ servers: ["127.0.0.1:1"], timeoutMs: 300 });
  expect(await dnsLookup.lookUp("listed.test")).toMatchObject({ kind: "failed" });
  expect((await dnsLookup.lookUp(`${"x".repeat(64)}.test`)).kind).not.toBe("found");
});
