import fc from "fast-check";
import { expect, test } from "vitest";
import { loadConfig, readDomainRecord } from "../../platform/config/index.ts";
import { systemClock } from "../../platform/time/index.ts";
import { domainOfRecord } from "./domain.ts";
import { Domains, outsideMark } from "./domains.ts";
import { type ReadRecord, RecordCache } from "./record-cache.ts";

/** The domains of a site whose `auth.domains` is this YAML, and those that `read` finds. */
function domainsOf(yaml: string, read?: ReadRecord): Domains {
  const result = loadConfig({ text: `{ auth: { domains: ${yaml} } }`, env: {}, readFile: () => "" });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const limits = { lifetimeMs: 60_000, outageLifetimeMs: 60_000, maxRecords: 10, maxUnknownPerSecond: 10 };
  const cache = read && new RecordCache(read, limits, { clock: systemClock, onFailure: () => undefined });
  return new Domains(result.config.auth.domains, cache);
}

const record = "{ name: a.test, aliases: [b.test, bücher.test] }";

test.each([
  ["ann@a.test", "ann@a.test", "a.test"],
  ["ann@A.TEST", "ann@a.test", "a.test"],
  ["ann@b.test", "ann@a.test", "a.test"],
  ["ann@xn--bcher-kva.test", "ann@a.test", "a.test"],
  ["ann@BÜCHER.test", "ann@a.test", "a.test"],
  ["x@y@b.test", "x@y@a.test", "a.test"],
  ["ann@c.test", "ann@c.test", undefined],
  ["ann@sub.a.test", "ann@sub.a.test", undefined],
  ["ann@", "ann@", undefined],
  ["ann", "ann", undefined],
  ["", "", undefined],
])("%s is %s", async (typed, username, domain) => {
  const placed = await domainsOf(`{ records: [${record}] }`).place(typed);
  expect(placed.username).toBe(username);
  expect(placed.domain.isKnown ? placed.domain.name : undefined).toBe(domain);
});

test("a name without a domain takes the default domain, or has the rules of none", async () => {
  const own = domainsOf(`{ records: [${record}], default_domain: b.test }`);
  expect(await own.place("ann")).toMatchObject({ username: "ann@a.test", domain: { name: "a.test" } });
  const others = domainsOf(`{ records: [${record}], default: { enabled: true, protocols: [imap] } }`);
  const withoutRecord = { isKnown: true, origin: "default", protocols: new Set(["imap"]) };
  expect(await others.place("ann")).toMatchObject({ username: "ann", domain: { name: "", ...withoutRecord } });
  expect(await others.place("ann@C.test")).toMatchObject({
    username: "ann@c.test",
    domain: { name: "c.test", ...withoutRecord },
  });
});

test("placing a name again changes nothing", async () => {
  const all = domainsOf(`{ records: [${record}], default_domain: a.test, default: { enabled: true } }`);
  const domain = fc.oneof(fc.domain(), fc.constantFrom("a.test", "B.test", "bücher.test", "c.test", ""));
  const name = fc.oneof(
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.tuple(fc.string({ maxLength: 8 }), domain).map(([local, host]) => `${local}@${host}`),
  );
  await fc.assert(
    fc.asyncProperty(name, async (typed) => {
      const { username, domain: found } = await all.place(typed);
      expect(await all.place(username)).toEqual({ username, domain: found });
    }),
  );
});

test.each([
  ["ann@A.test", "ann@a.test", true],
  ["ann@bücher.test", "ann@a.test", true],
  ["ann", "ann@a.test", true],
  ["ann@c.test", "ann@c.test@", false],
  ["ann@", "ann@@", false],
  ["ann@a.test@c.test", "ann@a.test@c.test@", false],
])("for a caller of one domain, %s is %s", async (typed, username, isKnown) => {
  const all = domainsOf(`{ records: [${record}, { name: c.test }], default_domain: c.test }`);
  expect(await all.placeFor({ domains: ["b.test"], defaultDomain: "a.test" }, typed)).toMatchObject({
    username,
    domain: { isKnown },
  });
});

test("a name without a domain is outside of a caller's domains, unless a default domain is one of them", async () => {
  const caller = { domains: ["a.test"] };
  const placedBy = async (more: string) =>
    (await domainsOf(`{ records: [${record}]${more} }`).placeFor(caller, "ann")).username;
  expect([
    await placedBy(""),
    await placedBy(", default_domain: c.test"),
    await placedBy(", default_domain: a.test"),
  ]).toEqual(["ann@", "ann@", "ann@a.test"]);
});

test("a caller's names outside are nobody's, and the source is never asked about what was typed", async () => {
  const read: string[] = [];
  const all = domainsOf(`{ records: [${record}], default: { enabled: true } }`, async (name) => {
    read.push(name);
    return undefined;
  });
  const host = fc.oneof(fc.domain(), fc.constantFrom("a.test", "A.TEST", "b.test", "c.test", "", "a.test@", "@a.test"));
  const name = fc.oneof(
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.tuple(fc.string({ maxLength: 8 }), host).map(([local, domain]) => `${local}@${domain}`),
  );
  await fc.assert(
    fc.asyncProperty(name, async (typed) => {
      const { username, domain } = await all.placeFor({ domains: ["a.test", "other.test"] }, typed);
      if (domain.isKnown && domain.name === "a.test") return;
      expect([username, domain.isKnown]).toEqual([`${typed}${outsideMark}`, false]);
      expect((await all.place(username)).domain.isKnown).toBe(false);
    }),
  );
  expect(new Set(read)).toEqual(new Set(["other.test"]));
});

/** A source with these records, by the names for which it returns them. */
function sourceOf(
  records: Readonly<Record<string, { readonly name: string; readonly aliases?: readonly string[] }>>,
): ReadRecord {
  return async (name) => {
    const fields = records[name];
    return fields && domainOfRecord(readDomainRecord(fields), "source");
  };
}

const ofA = { name: "a.test", aliases: ["alias.test", "b.test", "c.test", "gone.test"] };
const claims = sourceOf({ "a.test": ofA, "alias.test": ofA, "b.test": { name: "b.test" } });

test("an alias that a record claims is not the caller's, unless its domain serves it", async () => {
  const all = domainsOf("{ records: [{ name: c.test }] }", claims);
  const caller = { domains: ["a.test"] };
  const placed = await Promise.all(
    ["a", "alias", "b", "c", "gone"].map(async (name) => (await all.placeFor(caller, `bob@${name}.test`)).username),
  );
  expect(placed).toEqual(["bob@a.test", "bob@a.test", "bob@b.test@", "bob@c.test@", "bob@gone.test@"]);
  const isWithin = await all.within(["a.test"]);
  expect(["a", "alias", "b", "c", "gone"].map((name) => isWithin(`bob@${name}.test`))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

test("a record with the name of another domain brings none of its accounts", async () => {
  const all = domainsOf(
    "{ records: [{ name: c.test }] }",
    sourceOf({ "a.test": { name: "c.test", aliases: ["a.test"] } }),
  );
  const placed = await Promise.all(
    ["bob@a.test", "bob@c.test"].map((name) => all.placeFor({ domains: ["a.test"] }, name)),
  );
  expect(placed).toMatchObject([
    { username: "bob@a.test", domain: { isKnown: false } },
    { username: "bob@c.test@", domain: { isKnown: false } },
  ]);
  expect((await all.within(["a.test"]))("bob@c.test")).toBe(false);
});

test("the domain of a name is told from memory, for an alias as for its domain", async () => {
  const all = domainsOf("{ records: [{ name: c.test, aliases: [b.test] }], default_domain: c.test }", claims);
  const names = ["x@alias.test", "x@B.test", "x", "x@", "x@no domain", "x@y@c.test"];
  expect(names.map((name) => all.nameOf(name))).toEqual([
    "alias.test",
    "c.test",
    "c.test",
    undefined,
    undefined,
    "c.test",
  ]);
  await all.find("alias.test");
  expect([all.nameOf("x@alias.test"), all.nameOf("x@b.test")]).toEqual(["a.test", "c.test"]);
});

test("accounts are within domains by name and alias, and by the default domain", async () => {
  const isWithin = await domainsOf(`{ records: [${record}], default_domain: a.test }`).within(["a.test"]);
  const names = ["ann@a.test", "ann@B.test", "ann", "ann@c.test", "ann@"];
  expect(names.map(isWithin)).toEqual([true, true, true, false, false]);
});
