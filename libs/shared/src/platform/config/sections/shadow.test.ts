import { expect, test } from "vitest";
import { loadConfig } from "../load.ts";

const secret = "a-secret-of-the-test";
const pool = `{ server_uri: ["ldap://h"] }`;
const search = (name: string) =>
  `{ protocol: [imap], cache_name: c, pool_name: ${name}, base_dn: o, filter: { user: u }, mapping: { account_field: a } }`;

const server = (driver: string) => `{ driver: ${driver}, file: f, server: ["h:5432"], database: d, user: u }`;
const rows = (name: string) =>
  `{ protocol: ["*"], cache_name: c, pool_name: ${name}, queries: { user: SELECT }, mapping: { account_field: a } }`;

/** Paths of the problems of a site with the pools `old` and `new`. */
function problemsOf(order: string, shadow: string, encryption = secret): readonly string[] {
  const ldap = `{ default: ${pool}, pools: { old: ${pool}, new: ${pool} }, search: [${["default", "old", "new"].map(search).join()}] }`;
  const sql = `{ default: ${server("postgresql")}, pools: { other: ${server("postgresql")}, lite: ${server("sqlite")} }, search: [${["default", "other", "lite"].map(rows).join()}] }`;
  const text = `{ storage: { redis: { encryption_secret: "${encryption}", password_nonce: "a-nonce-of-the-test" } }, auth: { backends: { order: ${order}, ldap: ${ldap}, sql: ${sql} }, shadow: ${shadow} } }`;
  const result = loadConfig({ text, env: {}, readFile: () => "" });
  return result.ok ? [] : result.problems.map(({ path }) => path);
}

test.each<[name: string, order: string, shadow: string, problems: readonly string[]]>([
  ["nothing is compared", "['ldap(old)']", "{}", []],
  ["another pool", "['ldap(old)']", "{ order: ['ldap(new)'] }", []],
  ["another kind", "['ldap(old)']", "{ order: ['ldap(new)', sql] }", []],
  ["another database", "[sql]", "{ order: ['sql(other)'] }", []],
  ["a database that decides too", "['ldap(old)', sql]", "{ order: ['ldap(new)', sql] }", ["auth.shadow.order[1]"]],
  ["the order that decides", "['ldap(old)']", "{ order: ['ldap(old)'] }", ["auth.shadow.order[0]"]],
  [
    "the database that decides, without its cache",
    "[cache, sql]",
    "{ order: ['sql(default)'] }",
    ["auth.shadow.order[0]"],
  ],
  ["a pool that ldap queries too", "[ldap]", "{ order: ['ldap(new)'] }", ["auth.shadow.order[0]"]],
  ["all pools, one of which decides", "['ldap(default)']", "{ order: [ldap] }", ["auth.shadow.order[0]"]],
  [
    "those that decide, in another order",
    "[sql, 'ldap(old)']",
    "{ order: ['ldap(old)', sql] }",
    ["auth.shadow.order[0]", "auth.shadow.order[1]"],
  ],
  ["all pools, and one of them again", "[sql]", "{ order: [ldap, 'ldap(new)'] }", ["auth.shadow.order[1]"]],
  ["an SQLite database", "['ldap(old)']", "{ order: ['sql(lite)'] }", ["auth.shadow.order[0]"]],
  ["another server", "[sql]", "{ order: [http] }", ["auth.shadow.order[0]"]],
  ["no backend", "[sql]", "{ order: [nis] }", ["auth.shadow.order[0]"]],
  ["scripts, which may have effects", "[sql]", "{ order: [lua] }", ["auth.shadow.order[0]"]],
  ["a cache", "[sql]", "{ order: [cache, 'ldap(new)'] }", ["auth.shadow.order[0]"]],
  ["an unknown pool", "[sql]", "{ order: ['ldap(other)'] }", ["auth.shadow.order[0]"]],
  ["a backend twice", "[sql]", "{ order: ['ldap(new)', 'ldap(new)'] }", ["auth.shadow.order[1]"]],
  ["an address as domain", "[sql]", "{ order: ['ldap(new)'], domains: ['a@b'] }", ["auth.shadow.domains[0]"]],
])("a shadow of %s", (_name, order, shadow, problems) => {
  expect(problemsOf(order, shadow)).toEqual(problems);
});

test("a shadow needs the secret that encrypts its report", () => {
  expect(problemsOf("[sql]", "{ order: ['ldap(new)'] }", "")).toEqual(["storage.redis.encryption_secret"]);
  expect(problemsOf("[sql]", "{}", "")).toEqual([]);
});
