import { startDnsServer } from "@postern/testing";
import { expect, test } from "vitest";
import { createDnsLookup } from "./address-lookup-dns.ts";

test("the lookup distinguishes found, absent, failed and missing answers", async () => {
  await using dns = await startDnsServer({
    "listed.test": ["127.0.0.2", "127.0.0.4"],
    "empty.test": [],
    "broken.test": "servfail",
    "silent.test": "silence",
  });
  const dnsLookup = createDnsLookup({ servers: [dns.address], timeoutMs: 20_000 });
  const impatient = createDnsLookup({ servers: [dns.address], timeoutMs: 300 });
  expect(await dnsLookup.lookUp("listed.test")).toEqual({
    kind: "found",
    addresses: ["127.0.0.2", "127.0.0.4"],
    ttlMs: 300_000,
  });
  expect(await dnsLookup.lookUp("unknown.test")).toEqual({ kind: "absent" });
  expect(await dnsLookup.lookUp("empty.test")).toEqual({ kind: "absent" });
  expect(await dnsLookup.lookUp("broken.test")).toMatchObject({ kind: "failed" });
  expect(await impatient.lookUp("silent.test")).toMatchObject({ kind: "failed" });
});

test("a closed port is a failure, and an invalid name is never found", async () => {
  const dnsLookup = createDnsLookup({ servers: ["127.0.0.1:1"], timeoutMs: 20_000 });
  expect(await dnsLookup.lookUp("listed.test")).toMatchObject({ kind: "failed" });
  expect((await dnsLookup.lookUp(`${"x".repeat(64)}.test`)).kind).not.toBe("found");
});
