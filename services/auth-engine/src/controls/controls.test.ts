import type { AuthRequest } from "@postern/shared/contracts";
import { type DnsServer, startDnsServer } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attemptOf } from "../pipeline/attempt.ts";
import { createUserAllowlist } from "../user-allowlist.ts";
import { type Control, type ControlFacts, createRelayDomains, createTlsRequired } from "./controls.ts";
import { createDnsLookup } from "./rbl/address-lookup-dns.ts";
import { createRbl, type RblList } from "./rbl/rbl.ts";

const request: AuthRequest = {
  session: "7d3f",
  operation: "authenticate",
  dialect: "json",
  username: "alice@example.test",
  password: "pw",
  protocol: "imap",
  clientIp: "203.0.113.9",
  tls: false,
  memoryCache: true,
  sharedCache: true,
};

async function check(control: Control, change: Partial<AuthRequest> = {}) {
  const facts: ControlFacts = {};
  const signal = new AbortController().signal;
  const decision = await control.check(attemptOf({ ...request, ...change }), { signal, facts });
  return { decision, facts };
}

const noUsers = createUserAllowlist({});

describe("TLS required", () => {
  const control = createTlsRequired(["192.0.2.0/24", "2001:db8::/32"]);

  test("a request without TLS is a temporary failure, never a denial", async () => {
    expect((await check(control)).decision).toEqual({
      outcome: "tempfail",
      code: "TLS_REQUIRED",
      message: "TLS transport encryption required",
    });
  });

  test.each([[{ tls: true }], [{ clientIp: "192.0.2.1" }], [{ clientIp: "2001:db8::1" }]])(
    "%j passes",
    async (change) => {
      expect((await check(control, change)).decision).toBeUndefined();
    },
  );

  test("neither loopback nor a request without a client address is exempt", async () => {
    expect((await check(control, { clientIp: "127.0.0.1" })).decision).toMatchObject({ outcome: "tempfail" });
    const { clientIp: _unknown, ...unknown } = request;
    const context = { signal: new AbortController().signal, facts: {} };
    expect(control.check(attemptOf(unknown), context)).toMatchObject({ outcome: "tempfail" });
  });
});

describe("relay domains", () => {
  const allowlist = createUserAllowlist({ "Guest@Other.test": ["203.0.113.0/24"] });
  const control = createRelayDomains({ domains: ["Example.test"], allowlist });

  test.each(["alice@example.test", "alice@EXAMPLE.TEST", "alice", "a@b@c", "alice@", "guest@other.test"])(
    "%s passes",
    async (username) => {
      expect((await check(control, { username })).decision).toBeUndefined();
    },
  );

  test.each([[{ username: "alice@other.test" }], [{ username: "guest@other.test", clientIp: "192.0.2.1" }]])(
    "%j is denied",
    async (change) => {
      const { decision, facts } = await check(control, change);
      expect(decision).toEqual({ outcome: "fail", reason: "unknown_relay_domain", memoryCache: "miss" });
      expect(facts.relayDomainKnown).toBe(false);
    },
  );

  test("without configured domains every domain is accepted", async () => {
    expect((await check(createRelayDomains({ domains: [], allowlist: noUsers }))).decision).toBeUndefined();
  });
});

const list = (zone: string, change: Partial<RblList> = {}): RblList => ({
  name: zone,
  zone: `${zone}.test`,
  ipv4: true,
  ipv6: true,
  returnCodes: new Set(),
  weight: 5,
  allowFailure: false,
  ...change,
});
describe("block lists", () => {
  let dns: DnsServer;
  beforeAll(async () => {
    dns = await startDnsServer({
      "9.113.0.203.one.test": ["127.0.0.2"],
      "9.113.0.203.two.test": ["127.0.0.3"],
      "9.113.0.203.broken.test": "servfail",
      "9.113.0.203.silent.test": "silence",
      "9.113.0.203.refused.test": ["127.255.255.254"],
      "9.113.0.203.wild.test": ["198.51.100.1"],
      [`${"1.".padEnd(48, "0.")}8.b.d.0.1.0.0.2.one.test`]: ["127.0.0.2"],
    });
  });
  afterAll(() => dns[Symbol.asyncDispose]());

  const rbl = (lists: RblList[], change: object = {}) => {
    const failures: string[] = [];
    const control = createRbl(
      { lists, threshold: 10, ipAllowlist: ["192.0.2.0/24"], allowlist: noUsers, ...change },
      createDnsLookup({
        servers: [dns.address],
        timeoutMs: lists.some(({ zone }) => zone === "silent.test") ? 500 : 20_000,
      }),
      () => undefined,
      (name) => failures.push(name),
    );
    return { control, failures };
  };
  const outcome = async (lists: RblList[], change: Partial<AuthRequest> = {}) =>
    (await check(rbl(lists).control, change)).decision?.outcome ?? "pass";

  test("a client is denied if the sum of the weights reaches the threshold, and the facts contain the score and the lists", async () => {
    const { decision, facts } = await check(rbl([list("one"), list("two"), list("none")]).control);
    expect(decision).toEqual({ outcome: "fail", reason: "rbl", memoryCache: "miss" });
    expect(facts).toEqual({ rblScore: 10, rblListed: ["one", "two"] });
    expect(await outcome([list("one"), list("none")])).toBe("pass");
  });

  test("a list with a negative weight lowers the score", async () => {
    expect(await outcome([list("one", { weight: 12 }), list("two", { weight: -5 })])).toBe("pass");
  });

  test("only the configured return codes mean that the address is listed", async () => {
    expect(await outcome([list("one", { weight: 10, returnCodes: new Set(["127.0.0.9"]) })])).toBe("pass");
    expect(await outcome([list("one", { weight: 10, returnCodes: new Set(["127.0.0.2"]) })])).toBe("fail");
    expect(await outcome([list("wild", { weight: 10 })])).toBe("pass");
  });

  test.each(["broken", "silent", "refused"])(
    "an unavailable list (%s) is a temporary failure if it could change the decision",
    async (zone) => {
      const { control, failures } = rbl([list("one"), list(zone)]);
      expect((await check(control)).decision).toMatchObject({ outcome: "tempfail", code: "RBL_UNAVAILABLE" });
      expect(failures).toEqual([zone]);
    },
  );

  test("an unavailable list is ignored if its failure is allowed or cannot change the decision", async () => {
    expect(await outcome([list("one"), list("broken", { allowFailure: true })])).toBe("pass");
    expect(await outcome([list("none"), list("broken")])).toBe("pass");
    expect(await outcome([list("one", { weight: 10 }), list("broken")])).toBe("fail");
    expect(await outcome([list("one", { weight: 10 }), list("broken", { weight: -5 })])).toBe("tempfail");
  });

  test("an IPv6 address is looked up in nibbles, and only in lists for its family", async () => {
    const clientIp = "2001:db8::1";
    expect(await outcome([list("one", { weight: 10 })], { clientIp })).toBe("fail");
    expect(await outcome([list("one", { weight: 10, ipv6: false })], { clientIp })).toBe("pass");
    expect(await outcome([list("one", { weight: 10, ipv4: false })])).toBe("pass");
  });

  test("a client or user on an allow-list is not looked up", async () => {
    const before = dns.queries.length;
    expect(await outcome([list("one", { weight: 10 })], { clientIp: "192.0.2.9" })).toBe("pass");
    const allowlist = createUserAllowlist({ "ALICE@example.test": ["203.0.113.9"] });
    const { control } = rbl([list("one", { weight: 10 })], { allowlist });
    expect((await check(control)).decision).toBeUndefined();
    expect(dns.queries.length).toBe(before);
  });

  test("the lookup ends when the caller disconnects", async () => {
    const caller = new AbortController();
    const waiting = rbl([list("silent")]).control.check(attemptOf(request), { signal: caller.signal, facts: {} });
    caller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "REQUEST_ABORTED" });
  });
});
