import { Domains, domainOfRecord, RecordCache } from "@postern/shared/domain/domains";
import { loadConfig, readDomainRecord } from "@postern/shared/platform/config";
import { AppError } from "@postern/shared/platform/errors";
import { systemClock } from "@postern/shared/platform/time";
import { expect, test } from "vitest";
import { AccountDomains, domainLimit } from "./account-domains.ts";
import { createIsRefused } from "./refused-accounts.ts";

function domainsOf(yaml: string, cache?: RecordCache): AccountDomains {
  const result = loadConfig({ text: `{ auth: { domains: ${yaml} } }`, env: {}, readFile: () => "" });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return new AccountDomains({ current: new Domains(result.config.auth.domains, cache) });
}

const records = `[
  { name: a.test, aliases: [b.test], attributes: { tenant: "7" }, second_factor: required },
  { name: off.test, enabled: false },
]`;
const some = domainsOf(`{ records: ${records} }`);
const unused = new AccountDomains({ current: undefined });

test.each([
  ["ann@B.test", [], "ann@a.test"],
  ["ann", [], "ann"],
  ["ann", ["b.test"], "ann@a.test"],
  ["ann", ["a.test", "c.test"], "ann"],
  ["ann@c.test", ["b.test"], "ann@c.test"],
  ["", ["b.test"], ""],
  ["x".repeat(511), ["b.test"], ""],
])("%s, typed for an application for %j, is %s", async (typed, limit, username) => {
  expect(await some.place(typed, limit)).toBe(username);
});

test("without domains that have rules, names stay as they are, and nobody is affected", async () => {
  const user = { account: "ann@B.test", attributes: { "domain.tenant": ["1"] } };
  expect(await unused.place("ann@B.test")).toBe("ann@B.test");
  expect(await unused.place("ann", ["B.test"])).toBe("ann@b.test");
  expect([unused.isClosed("ann@a.test"), await unused.requiresFactor("ann@a.test")]).toEqual([false, false]);
  expect(await unused.withAttributes(user)).toBe(user);
  const limit = domainLimit(["b.test"]);
  const within = ["ann@B.test", "ann@a.test", "ann"].map((account) => unused.isWithin(account, limit));
  expect(await Promise.all(within)).toEqual([true, false, false]);
});

test.each([
  ["ann@a.test", ["b.test"], true],
  ["ann@b.test", ["a.test"], true],
  ["ann@a.test", ["off.test"], false],
  ["ann@c.test", ["c.test"], false],
  ["ann", ["a.test"], false],
  ["ann@c.test", [], true],
])("%s may use an application for %j: %s", async (account, limit, isWithin) => {
  expect(await some.isWithin(account, domainLimit(limit))).toBe(isWithin);
});

const readOwn = async (name: string) =>
  name === "own.test"
    ? domainOfRecord(readDomainRecord({ name, aliases: ["a.test", "src.test"] }), "source")
    : undefined;

test("an alias that a record claims, and another domain serves, is no proof for an application", async () => {
  const settings = { lifetimeMs: 60_000, outageLifetimeMs: 60_000, maxRecords: 9, maxUnknownPerSecond: 9 };
  const cache = new RecordCache(readOwn, settings, { clock: systemClock, onFailure: () => undefined });
  const all = domainsOf(`{ records: ${records} }`, cache);
  const within = ["a.test", "src.test", "own.test"].map((name) => all.isWithin("eve@own.test", domainLimit([name])));
  expect(await Promise.all(within)).toEqual([false, false, true]);
});

test("an account is refused with its domain, or if an operator has suspended it", async () => {
  const isRefused = createIsRefused(
    { find: (name) => (name === "bob@a.test" ? { account: name, sinceMs: 0, by: "", session: "" } : undefined) },
    some,
  );
  const accounts = ["ann@a.test", "ann@b.test", "bob@a.test", "ann@off.test", "ann@c.test"];
  expect(await Promise.all(accounts.map(async (account) => isRefused(account)))).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
  expect(await some.requiresFactor("ann@b.test")).toBe(true);
});

test("the attributes of the domain are the site's, whatever the backend returns", async () => {
  const attributes = { mail: ["x"], "Domain.tenant": ["8"], "domain.plan": ["gold"] };
  expect((await some.withAttributes({ account: "ann@b.test", attributes })).attributes).toEqual({
    mail: ["x"],
    "domain.tenant": ["7"],
  });
  expect((await some.withAttributes({ account: "ann@c.test", attributes })).attributes).toEqual({ mail: ["x"] });
});

test("what the source cannot tell is no answer", async () => {
  const away = new AppError("DIRECTORY_UNAVAILABLE");
  const domains = new AccountDomains({
    get current(): never {
      throw away;
    },
  });
  await expect(domains.place("ann@a.test")).rejects.toBe(away);
  await expect(domains.isWithin("ann@a.test", domainLimit(["a.test"]))).rejects.toBe(away);
  expect(() => domains.isClosed("ann@a.test")).toThrow(away);
});
