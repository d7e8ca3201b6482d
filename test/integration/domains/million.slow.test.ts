import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { scratchFolder } from "@postern/testing";
import { expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { startStack } from "../../support/stack.ts";
import { demoBackends } from "../../support/stack-config.ts";

const count = 1_000_000;

/** Resident memory of a process, in MiB. */
function residentMib(pid: number): number {
  const [, kib = "0"] = /VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib) / 1024;
}

test("a million domains need no memory until they are used, and a bounded one then", async () => {
  await using owned = new AsyncDisposableStack();
  const { path } = owned.use(await scratchFolder());
  const file = join(path, "domains.sqlite");
  const database = new DatabaseSync(file);
  database.exec("CREATE TABLE domains (name TEXT PRIMARY KEY) WITHOUT ROWID");
  database
    .prepare(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT INTO domains SELECT printf('d%07d.test', i) FROM n",
    )
    .run(count);
  database.exec("INSERT INTO domains VALUES ('example.test')");
  database.close();
  const start = (domains: object) =>
    startStack({
      backends: (folder) => {
        const { sql, ...others } = Object(demoBackends(folder));
        return { ...others, sql: { ...sql, pools: { domains: { file } } } };
      },
      settings: { auth: { domains } },
    });
  const source = {
    kind: "sql",
    pool: "domains",
    query: "SELECT name FROM domains WHERE name = :domain",
    max_records: 1000,
  };
  const without = owned.use(await start({}));
  const stack = owned.use(await start({ source }));
  const [withoutMib = 0, idleMib = 0] = [without, stack].map(({ engines: [engine] }) => residentMib(engine?.pid ?? 0));
  expect(idleMib - withoutMib).toBeLessThan(40);
  for (let first = 1; first <= 5000; first += 50) {
    const lookups = Array.from({ length: 50 }, (_value, index) => {
      const username = `alice@d${String(first + index).padStart(7, "0")}.test`;
      return askJson(stack.url, { ...alice, username }, { query: "?mode=no-auth" });
    });
    for (const { status } of await Promise.all(lookups)) expect(status).toBe(403);
  }
  const metrics = await stack.engines[0]?.metrics();
  expect(Number(/^service_domain_records (\d+)$/mu.exec(metrics ?? "")?.[1])).toBe(1000);
  expect((await askJson(stack.url, alice)).status).toBe(200);
});
