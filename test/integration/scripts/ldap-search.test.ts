import { systemClock } from "@postern/shared/platform/time";
import { spawnSlapd } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLdapPool, type LdapPool } from "../../../services/auth-engine/src/backends/ldap/ldap-pool.ts";
import { ldapModule } from "../../../services/auth-engine/src/backends/ldap/script-module.ts";
import { exampleLdif, examplePool } from "../ldap/example-directory.ts";

let owned: AsyncDisposableStack;
let pool: LdapPool;
beforeAll(async () => {
  await using starting = new AsyncDisposableStack();
  const slapd = starting.use(await spawnSlapd({ ldif: exampleLdif }));
  const log = { info: () => undefined, warn: () => undefined };
  pool = createLdapPool("default", examplePool([slapd.uri]), { clock: systemClock, log });
  starting.defer(() => pool.close());
  owned = starting.move();
});
afterAll(() => owned.disposeAsync());

const search = (change: object = {}, name = "default") => {
  const run = ldapModule((poolName) => (poolName === "default" ? pool : undefined))["ldap.search"];
  const base = "ou=people,dc=example,dc=test";
  const table = { base, filter: "(mail=%{mail})", values: { mail: "bob@example.test" }, attributes: ["UID", "mail"] };
  const context = { script: "x.lua", deadline: Date.now() + 4000, signal: AbortSignal.timeout(4000) };
  return run?.([name, { ...table, ...change }], context);
};

test("entries have their DN and the requested attributes", async () => {
  expect(await search()).toEqual([
    {
      dn: "uid=bob,ou=people,dc=example,dc=test",
      attributes: { UID: ["bob"], mail: ["bob@example.test", "shared@example.test"] },
    },
  ]);
  expect(await search({ values: { mail: "nobody@example.test" } })).toEqual([]);
  expect(
    await search({ base: "uid=%{uid},ou=people,dc=example,dc=test", filter: "(uid=*)", values: { uid: "bob" } }),
  ).toHaveLength(1);
});

test("values that are not text are returned as bytes", async () => {
  const photos = await search({ filter: "(uid=alice)", attributes: ["jpegPhoto"] });
  expect(photos).toMatchObject([{ attributes: { jpegPhoto: [new Uint8Array(Buffer.from("/9j/AAEC", "base64"))] } }]);
});

test.each(["*", "bob@example.test)(uid=*", "*)(|(uid=*", "\\2a"])("the value %j finds no entry", async (mail) => {
  expect(await search({ values: { mail } })).toEqual([]);
});

test("a value cannot change the search base beyond its place", async () => {
  const tricky = { base: "uid=%{uid},dc=example,dc=test", filter: "(uid=*)", values: { uid: "bob,ou=people" } };
  await expect(search(tricky)).rejects.toThrow("DIRECTORY_UNAVAILABLE");
});

test.each([
  [{ values: {} }, "values.mail must be a non-empty string"],
  [{ values: { mail: "" } }, "values.mail must be a non-empty string"],
  [{ filter: "(%{mail}=x)" }, "expected an attribute name"],
  [{ filter: "(mail=%s" }, "DIRECTORY|CONFIG|filter"],
  [{ attributes: ["*"] }, "attributes must be a list of names"],
  [{ scope: "all" }, "scope must be"],
])("%j is an error", async (change, reason) => {
  await expect(search(change)).rejects.toThrow(new RegExp(reason));
});

test("more entries than the limit are an error, never a partial result", async () => {
  await expect(search({ filter: "(uid=*)", limit: 1 })).rejects.toThrow("more than 1 entries");
});

test("a pool that is not configured is an error", async () => {
  await expect(search({}, "other")).rejects.toThrow("unknown pool other");
});
