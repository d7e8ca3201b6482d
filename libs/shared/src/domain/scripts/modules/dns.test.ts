import { startDnsServer } from "@postern/testing";
import { expect, test } from "vitest";
import { dnsModule } from "./dns.ts";

const records = { "mail.example.test": ["192.0.2.1", "192.0.2.2"], "down.example.test": "servfail" } as const;

/** `timeoutMs` is long for names that are answered, so that a busy machine does not decide. */
function ask(
  server: string,
  name: string,
  args: readonly string[],
  { timeoutMs = 20_000, signal = AbortSignal.timeout(20_000) } = {},
) {
  const run = dnsModule({ resolvers: [server], timeout: timeoutMs })[name];
  return run?.(args, { script: "x.lua", deadline: Date.now() + 20_000, signal });
}

test("a name resolves to its addresses, or nil if there are none", async () => {
  await using server = await startDnsServer(records);
  expect(await ask(server.address, "dns.lookup", ["mail.example.test"])).toEqual(["192.0.2.1", "192.0.2.2"]);
  expect(await ask(server.address, "dns.lookup", ["none.example.test", "a"])).toBeUndefined();
  expect(await ask(server.address, "dns.lookup", ["mail.example.test", "MX"])).toBeUndefined();
  expect(await ask(server.address, "dns.reverse", ["192.0.2.1"])).toBeUndefined();
  expect(server.queries).toContain("1.2.0.192.in-addr.arpa");
});

test("a server that fails or does not respond causes an error, never nil", async () => {
  await using server = await startDnsServer({ ...records, "slow.example.test": "silence" });
  await expect(ask(server.address, "dns.lookup", ["down.example.test"])).rejects.toThrow("ESERVFAIL");
  await expect(ask(server.address, "dns.lookup", ["slow.example.test"], { timeoutMs: 300 })).rejects.toThrow(
    "ETIMEOUT",
  );
});

test("the end of the call cancels the query", async () => {
  await using server = await startDnsServer({ "slow.example.test": "silence" });
  const lookup = ask(server.address, "dns.lookup", ["slow.example.test"], { signal: AbortSignal.timeout(50) });
  await expect(lookup).rejects.toThrow("ECANCELLED");
});

test.each([
  ["dns.lookup", ["mail.example.test", "AXFR"], "type must be"],
  ["dns.reverse", ["mail.example.test"], "must be an IP address"],
])("%s rejects %j", async (name, args, reason) => {
  await expect(ask("127.0.0.1:9", name, args)).rejects.toThrow(reason);
});
