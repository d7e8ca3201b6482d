import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { loadConfig } from "@postern/shared/platform/config";
import { scratchFolder } from "@postern/testing";
import { expect, test } from "vitest";
import { domainChecks } from "./check-domains.ts";

/** What the doctor finds with a source whose query is this one. */
async function findings(query: string, columns = "name TEXT"): Promise<readonly string[]> {
  await using folder = await scratchFolder();
  const file = join(folder.path, "domains.sqlite");
  const database = new DatabaseSync(file);
  database.exec(`CREATE TABLE domains (${columns}); INSERT INTO domains (name) VALUES ('a.test')`);
  database.close();
  const result = loadConfig({
    text: JSON.stringify({
      auth: {
        backends: { sql: { pools: { domains: { file } } } },
        domains: { source: { kind: "sql", pool: "domains", query } },
      },
    }),
    env: {},
    readFile: () => "",
  });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const found = await Promise.all(domainChecks(result.config, 5000).map(({ run }) => run()));
  return found.flat().map((one) => one.found);
}

test("a source that knows no domain of the doctor is usable", async () => {
  expect(await findings("SELECT name FROM domains WHERE name = :domain")).toEqual([]);
});

test("a query that fails, or that selects any domain, is a problem", async () => {
  expect(await findings("SELECT nothing FROM domains WHERE name = :domain")).toEqual([
    expect.stringContaining("not usable"),
  ]);
  expect(await findings("SELECT :domain AS name FROM domains")).toEqual(["has a record for every domain"]);
});

test("without a source there is nothing to check", () => {
  const result = loadConfig({ text: "{}", env: {}, readFile: () => "" });
  expect(result.ok && domainChecks(result.config, 5000)).toEqual([]);
});
