import { Domains, domainOfRecord } from "@postern/shared/domain/domains";
import { type DomainsConfig, loadConfig, readDomainRecord } from "@postern/shared/platform/config";
import { Secret } from "@postern/shared/platform/crypto";
import { expect, test } from "vitest";
import type { Backend, VerifyOutcome } from "../backends/backend.ts";
import { createBackendOfNone, createBackendsByName } from "./domain-backends.ts";

/** A backend with these accounts, by the name under which it finds them. `heard` are the names that it heard of. */
function backendWith(name: string, accounts: Readonly<Record<string, string>>) {
  const heard: string[] = [];
  const find = (username: string): VerifyOutcome => {
    heard.push(username);
    const account = accounts[username];
    if (account === undefined) return { kind: "unknown_user" };
    const fields = { uniqueUserId: "7", accountField: "mail", totpSecretField: "", attributes: { mail: [account] } };
    return { kind: "ok", account: { account, ...fields } };
  };
  const backend: Backend = {
    kind: "sql",
    name,
    verify: async ({ username }) => find(username),
    lookup: async ({ username }) => {
      const found = find(username);
      return found.kind === "ok" ? found : { kind: "unknown_user" };
    },
    listAccounts: async () => ({ kind: "not_served" }),
    endListing: () => undefined,
    spendVerification: async () => undefined,
    check: async () => undefined,
    close: async () => undefined,
  };
  return { backend, heard };
}

const context = { deadline: Number.MAX_SAFE_INTEGER, signal: new AbortController().signal };
const rows = (pool: string) =>
  `{ protocol: ["*"], cache_name: c, pool_name: ${pool}, queries: { user: SELECT }, mapping: { account_field: a } }`;
const sql = `{ default: { driver: sqlite, file: f }, pools: { a: { driver: sqlite, file: a }, b: { driver: sqlite, file: b } }, search: [${["default", "a", "b"].map(rows).join()}] }`;

function configOf(yaml: string): DomainsConfig {
  const text = `{ auth: { backends: { sql: ${sql} }, domains: ${yaml} } }`;
  const result = loadConfig({ text, env: {}, readFile: () => "" });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.config.auth.domains;
}

/** The engine of a site with the backends `sql`, `sql(a)` and `sql(b)`, of which the first is in `auth.backends.order`. */
function site(
  yaml: string,
  accounts: Readonly<Record<string, Readonly<Record<string, string>>>>,
  names: readonly string[] = ["sql", "sql(a)", "sql(b)"],
) {
  const domains = new Domains(configOf(yaml));
  const backends = names.map((name) => backendWith(name, accounts[name] ?? {}));
  const foreign: string[] = [];
  const spent: string[] = [];
  const ids: (string | undefined)[] = [];
  const byName = createBackendsByName({
    set: { current: backends.map(({ backend }) => backend) },
    domains: () => domains,
    order: () => ["sql"],
    none: createBackendOfNone(async ({ username }) => void spent.push(username)),
    onForeign: (account) => foreign.push(account),
    addresses: {
      rule: () => ({ attributes: new Set(["mail"]), domains: new Set() }),
      onForeignAddress: ({ attribute }) => foreign.push(attribute),
    },
  });
  const verify = async (username: string): Promise<readonly (string | undefined)[]> => {
    const answers: (string | undefined)[] = [];
    const query = { username, protocol: "imap" };
    for (const backend of await byName.of(username)) {
      const found = await backend.verify(query, new Secret("pw"), context);
      answers.push(found.kind === "ok" ? found.account.account : found.kind);
      if (found.kind !== "ok") continue;
      ids.push(found.account.uniqueUserId);
      expect(found.account.attributes["mail"]).toEqual([found.account.account]);
    }
    return answers;
  };
  return { byName, verify, foreign, ids, spent, heard: () => backends.map(({ heard }) => heard.splice(0)) };
}

const customers = `{ name: a.test, aliases: [alias.test], backends: ["sql(a)"] }, { name: b.test, backends: ["sql(b)", sql] }`;

test("a name reaches the backends of its domain only, in the order of its record", async () => {
  const { verify, heard } = site(`{ records: [${customers}] }`, { "sql(a)": { "ann@a.test": "ann@a.test" } });
  expect(await verify("ann@a.test")).toEqual(["ann@a.test"]);
  expect(heard()).toEqual([[], ["ann@a.test"], []]);
  expect(await verify("bob@b.test")).toEqual(["unknown_user", "unknown_user"]);
  expect(heard()).toEqual([["bob@b.test"], [], ["bob@b.test"]]);
});

test.each(["ann@c.test", "ann", "ann@", "@a.test@c.test"])(
  "%s is of no domain, so no backend hears of it",
  async (name) => {
    const { byName, verify, heard, spent } = site(`{ records: [${customers}] }`, {});
    expect(await verify(name)).toEqual(["unknown_user"]);
    const [none] = await byName.of(name);
    await none?.spendVerification({ username: name, protocol: "imap" }, new Secret("pw"), context);
    expect([heard(), spent]).toEqual([[[], [], []], [name]]);
  },
);

test("an account is found under the domain and its aliases, the domain first", async () => {
  const { verify, heard } = site(`{ records: [${customers}] }`, {
    "sql(a)": { "ann@a.test": "ann@a.test", "ann@alias.test": "another", "old@alias.test": "old@alias.test" },
  });
  expect(await verify("ann@alias.test")).toEqual(["ann@a.test"]);
  heard();
  for (const name of ["old@a.test", "old@alias.test"]) expect(await verify(name)).toEqual(["old@alias.test"]);
  expect(heard()[1]).toEqual(["old@a.test", "old@alias.test", "old@a.test", "old@alias.test"]);
});

test("accounts named alike in two domains are two accounts", async () => {
  const { verify } = site(`{ records: [${customers}] }`, {
    "sql(a)": { "ann@a.test": "ann" },
    "sql(b)": { "ann@b.test": "ann" },
  });
  expect([await verify("ann@a.test"), (await verify("ann@b.test"))[0]]).toEqual([["ann@a.test"], "ann@b.test"]);
});

test("identifiers that customers choose are unique among domains; those of the site stay", async () => {
  const { verify, ids } = site(`{ records: [${customers}, { name: c.test }] }`, {
    sql: { "cem@c.test": "cem@c.test" },
    "sql(a)": { "ann@a.test": "ann@a.test" },
    "sql(b)": { "bob@b.test": "bob@b.test" },
  });
  for (const name of ["ann@a.test", "bob@b.test", "cem@c.test"]) await verify(name);
  expect(ids).toEqual(["7@a.test", "7@b.test", "7"]);
});

test("an alias that another record has opens no account of that record's domain", async () => {
  const yaml = `{ records: [${customers}] }`;
  const { byName, foreign } = site(yaml, {});
  const { backend } = backendWith("sql(a)", { "ceo@b.test": "ceo@b.test" });
  // As if the source had returned it: configurations refuse a name that is repeated.
  const claiming = domainOfRecord(readDomainRecord({ name: "evil.test", aliases: ["b.test"] }), "source");
  const query = { username: "ceo@evil.test", protocol: "imap" };
  const seen = byName.seenFrom(claiming, backend);
  await expect(seen.verify(query, new Secret("pw"), context)).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
  expect(foreign).toEqual(["ceo@b.test"]);
});

test("a denial of another server does not end the search under the other forms", async () => {
  const { byName } = site(`{ records: [${customers}] }`, {});
  const { backend } = backendWith("sql(a)", { "old@alias.test": "old@alias.test" });
  const remote: Backend = {
    ...backend,
    verify: async (query, ...others) =>
      query.username === "old@a.test" ? { kind: "denied" } : backend.verify(query, ...others),
  };
  const domain = new Domains(configOf(`{ records: [${customers}] }`)).configured[0];
  if (domain === undefined) throw new Error("no domain");
  const seen = byName.seenFrom(domain, remote);
  const found = async (username: string) =>
    (await seen.verify({ username, protocol: "imap" }, new Secret("pw"), context)).kind;
  expect([await found("old@a.test"), await found("nobody@a.test")]).toEqual(["ok", "unknown_user"]);
});

test("accounts of the default domain may have names without a domain", async () => {
  const yaml = `{ default_domain: a.test, records: [${customers}] }`;
  const { verify } = site(yaml, { "sql(a)": { ann: "ann" } });
  for (const name of ["ann", "ann@a.test", "ann@alias.test"]) expect(await verify(name)).toEqual(["ann"]);
});

test.each(["eve@b.test", "eve@c.test", "eve@sub.a.test"])(
  "a backend that returns %s for a name of a.test signs nobody in",
  async (account) => {
    const { verify, foreign } = site(`{ records: [${customers}] }`, { "sql(a)": { "eve@a.test": account } });
    await expect(verify("eve@a.test")).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
    expect(foreign).toEqual([account]);
  },
);

test("domains without a record have the default rules, and no access to accounts of others", async () => {
  const yaml = `{ records: [${customers}], default: { enabled: true } }`;
  const { verify, foreign } = site(yaml, {
    sql: { "ann@c.test": "ann", ann: "ann", eve: "eve@a.test", bob: "bob@d.test", "eve@c.test": "eve@a.test" },
  });
  expect([await verify("ann@c.test"), await verify("ann"), await verify("bob")]).toEqual([
    ["ann"],
    ["ann"],
    ["bob@d.test"],
  ]);
  for (const name of ["eve", "eve@c.test"]) await expect(verify(name)).rejects.toThrow("DIRECTORY_UNAVAILABLE");
  expect(foreign).toEqual(["eve@a.test", "eve@a.test"]);
});

test("a record that names a backend which the engine does not have is undecidable", async () => {
  const { byName } = site(`{ default: { enabled: true }, records: [${customers}] }`, {});
  expect(byName.of("ann@c.test")).toHaveLength(1);
  const withoutBackends = site(`{ default: { enabled: true }, records: [${customers}] }`, {}, []);
  expect(() => withoutBackends.byName.of("ann@c.test")).toThrow("DIRECTORY_UNAVAILABLE");
});
