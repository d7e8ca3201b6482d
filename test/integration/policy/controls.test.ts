import { type DnsServer, poll, startDnsServer } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askCbor } from "../../support/ask-cbor.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import { type Stack, startStack } from "../../support/stack.ts";

let dns: DnsServer;
let stack: Stack;

const clients = {
  clean: "203.0.113.1",
  listed: "203.0.113.2",
  halfListed: "203.0.113.3",
  broken: "203.0.113.4",
  silent: "203.0.113.5",
  mayFail: "203.0.113.6",
  exempt: "198.51.100.2",
  inside: "192.0.2.1",
  six: "2001:db8::2",
} as const;

const reversed = (address: string): string => address.split(".").toReversed().join(".");
const six = `${"2.".padEnd(48, "0.")}8.b.d.0.1.0.0.2`;

const list = (name: string, change: object = {}) => ({ name, rbl: `${name}.test`, weight: 5, ...change });

beforeAll(async () => {
  dns = await startDnsServer({
    [`${reversed(clients.listed)}.one.test`]: ["127.0.0.2"],
    [`${reversed(clients.listed)}.two.test`]: ["127.0.0.4"],
    [`${reversed(clients.exempt)}.one.test`]: ["127.0.0.2"],
    [`${reversed(clients.exempt)}.two.test`]: ["127.0.0.2"],
    [`${reversed(clients.halfListed)}.one.test`]: ["127.0.0.2"],
    [`${reversed(clients.broken)}.one.test`]: ["127.0.0.2"],
    [`${reversed(clients.broken)}.two.test`]: "servfail",
    [`${reversed(clients.silent)}.one.test`]: ["127.0.0.2"],
    [`${reversed(clients.silent)}.two.test`]: "silence",
    [`${reversed(clients.mayFail)}.one.test`]: ["127.0.0.2"],
    [`${reversed(clients.mayFail)}.three.test`]: "servfail",
    [`${six}.one.test`]: ["127.0.0.2"],
    [`${six}.two.test`]: ["127.0.0.2"],
  });
  stack = await startStack({
    settings: {
      auth: {
        controls: {
          enabled: ["tls_encryption", "relay_domains", "rbl"],
          tls_encryption: { allow_cleartext_networks: ["192.0.2.0/24"] },
          relay_domains: { static: ["example.test"] },
          rbl: {
            lists: [list("one"), list("two"), list("three", { allow_failure: true })],
            threshold: 10,
            ip_allowlist: ["198.51.100.0/24"],
            resolvers: [dns.address],
            timeout: "300ms",
          },
        },
      },
    },
  });
});

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await dns[Symbol.asyncDispose]();
});

async function ask(change: object): Promise<readonly [number, string | null]> {
  const { status, headers } = await askJson(stack.url, { ...alice, ssl: "on", client_ip: clients.clean, ...change });
  return [status, headers.get("auth-status")];
}

describe("TLS required", () => {
  test("without TLS a correct password is a temporary failure with a separate text", async () => {
    expect(await ask({ ssl: "" })).toEqual([500, "TLS transport encryption required"]);
    const cbor = await askCbor(stack.url, { ...alice, client_ip: clients.clean });
    expect([cbor.status, cbor.body]).toEqual([500, new Map([["error", "TLS transport encryption required"]])]);
  });

  test("with TLS, and from exempt networks, it is accepted", async () => {
    expect(await ask({})).toEqual([200, "OK"]);
    expect(await ask({ ssl: "", client_ip: clients.inside })).toEqual([200, "OK"]);
  });

  test("look-ups do not need TLS", async () => {
    const { status } = await askJson(
      stack.url,
      { username: alice.username, protocol: "imap" },
      { query: "?mode=no-auth" },
    );
    expect(status).toBe(200);
  });
});

test("a domain that is not served is denied before any backend is queried", async () => {
  const [engine] = stack.engines;
  const lookupCount = async (): Promise<number> =>
    Number(
      /directory_seconds_count\{kind="sql",outcome="unknown_user"\} (\d+)/.exec((await engine?.metrics()) ?? "")?.[1] ??
        0,
    );
  const before = await lookupCount();
  expect(await ask({ username: "alice@elsewhere.test" })).toEqual([403, "FAIL"]);
  expect(await lookupCount()).toBe(before);
  expect(await ask({ username: "nobody@EXAMPLE.test" })).toEqual([403, "FAIL"]);
  expect(await lookupCount()).toBe(before + 1);
});

describe("block lists", () => {
  test.each([
    ["listed", 403, "FAIL"],
    ["six", 403, "FAIL"],
    ["clean", 200, "OK"],
    ["halfListed", 200, "OK"],
    ["exempt", 200, "OK"],
    ["mayFail", 200, "OK"],
    ["broken", 500, "Temporary server problem, try again later"],
    ["silent", 500, "Temporary server problem, try again later"],
  ] as const)("a client that is %s gets %i", async (client, status, authStatus) => {
    expect(await ask({ client_ip: clients[client] })).toEqual([status, authStatus]);
  });

  test("a list's answer is cached for its lifetime", async () => {
    await ask({ client_ip: clients.listed });
    const before = dns.queries.length;
    await Promise.all(Array.from({ length: 10 }, () => ask({ client_ip: clients.listed })));
    expect(dns.queries.length).toBe(before);
  });

  test("fifty simultaneous logins from an unknown address share the DNS queries", async () => {
    await Promise.all(Array.from({ length: 50 }, () => ask({ client_ip: "203.0.113.77" })));
    const queries = dns.queries.filter((name) => name.startsWith("77.113.0.203."));
    const lists = ["one", "three", "two"];
    expect([...new Set(queries)].toSorted()).toEqual(lists.map((list) => `77.113.0.203.${list}.test`));
    // On a busy machine, a query is repeated before its answer is read. Without sharing, each login would query each list.
    expect(queries.length).toBeLessThan(50);
  });

  test("a list that is available again is queried within seconds", async () => {
    dns.setAnswer(`${reversed(clients.broken)}.two.test`, "nxdomain");
    const answer = await poll("the list to be queried again", async () => {
      const [status] = await ask({ client_ip: clients.broken });
      return status === 500 ? undefined : status;
    });
    expect(answer).toBe(200);
  });
});
