import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { loadConfig } from "@postern/shared/platform/config";
import { scratchFolder } from "@postern/testing";
import { expect, test } from "vitest";
import { asksOtherBackends, openBackends } from "./new-backends.ts";

/** A directory of each domain, and that of the site. */
const directories = { default: ["carol"], a: ["ann@a.example"], b: ["bob@b.example"] } as const;

async function site(domains: object, order: readonly string[] = ["sql"]) {
  const folder = await scratchFolder();
  const fileOf = (pool: string): string => join(folder.path, `${pool}.sqlite`);
  for (const [pool, names] of Object.entries(directories)) {
    const database = new DatabaseSync(fileOf(pool));
    database.exec("CREATE TABLE users (username TEXT PRIMARY KEY)");
    for (const name of names) database.prepare("INSERT INTO users VALUES (?)").run(name);
    database.close();
  }
  const search = Object.keys(directories).map((pool) => ({
    protocol: ["imap"],
    cache_name: pool,
    pool_name: pool,
    queries: { user: "SELECT username AS account, '' AS password FROM users WHERE username = :username" },
    mapping: { account_field: "account" },
  }));
  const [one, a, b] = Object.keys(directories).map((pool) => ({ driver: "sqlite", file: fileOf(pool) }));
  const lua = {
    backend: { default: { backend_script_path: "/nonexistent" }, search: [{ protocol: ["imap"], cache_name: "lua" }] },
  };
  const backends = { order, sql: { default: one, pools: { a, b }, search }, lua };
  const text = JSON.stringify({ auth: { backends, domains } });
  const loaded = loadConfig({ text, env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return { config: loaded.config, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

type Site = Awaited<ReturnType<typeof site>>;

async function answers({ config }: Site, names: readonly string[]): Promise<readonly string[]> {
  const { lookUp, close } = await openBackends(config);
  const ask = (username: string) => lookUp({ username, protocol: "imap", clientIp: undefined });
  const found = await Promise.all(names.map(ask));
  await close();
  return found;
}

const records = [
  { name: "a.example", aliases: ["alias.example"], backends: ["sql(a)"] },
  { name: "b.example", backends: ["sql(b)"] },
];

test("an account is looked up in the backends of its domain only, under its name there", async () => {
  await using own = await site({ records, default: { enabled: true } });
  const names = ["ann@a.example", "ann@alias.example", "bob@a.example", "bob@b.example", "carol", "ann@other.example"];
  expect(await answers(own, names)).toEqual(["known", "known", "unknown", "known", "known", "unknown"]);
});

test("without domains, all are looked up in the order of the site", async () => {
  await using own = await site({});
  expect(await answers(own, ["carol", "ann@a.example"])).toEqual(["known", "unknown"]);
});

test("what only a script or the source of domains could say is undecided", async () => {
  await using scripted = await site({ records }, ["lua", "sql"]);
  expect(await answers(scripted, ["bob@b.example", "bob@a.example"])).toEqual(["known", "unknown"]);
  await using all = await site({}, ["lua", "sql"]);
  expect(await answers(all, ["carol", "dave"])).toEqual(["known", "undecided"]);
  const source = { kind: "sql", query: "SELECT name FROM domains WHERE name = :domain", backends: ["sql(b)"] };
  await using sourced = await site({ records: records.slice(0, 1), source });
  expect(await answers(sourced, ["ann@a.example", "bob@b.example", "carol"])).toEqual([
    "known",
    "undecided",
    "undecided",
  ]);
});

test("other backends of a domain are other backends, other rules of it are not", async () => {
  await using own = await site({ records });
  const auth = (change: object) => ({
    ...own.config,
    auth: { ...own.config.auth, domains: { ...own.config.auth.domains, ...change } },
  });
  const [first, ...others] = own.config.auth.domains.records;
  if (first === undefined) throw new Error("no record");
  expect(asksOtherBackends(own.config, auth({ records: [{ ...first, enabled: false }, ...others] }))).toBe(false);
  expect(asksOtherBackends(own.config, auth({ records: [{ ...first, backends: ["sql"] }, ...others] }))).toBe(true);
  expect(asksOtherBackends(own.config, auth({ records: others }))).toBe(true);
});
