import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { scratchFolder } from "@postern/shared/testing";
import { expect, test } from "vitest";
import { askJson } from "../../support/ask-json.ts";
import { startStack } from "../../support/stack.ts";

/** No password matches them: only their cost matters. The first takes no time, the second some ten milliseconds. */
const cheap = `{SSHA256}${Buffer.alloc(40, 7).toString("base64")}`;
const costly = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;
/** With so many known accounts, an engine relies only on the hashes it has seen in a database. */
const accounts = 96;

function writeUsers(file: string, names: readonly string[], password: string): void {
  const database = new DatabaseSync(file);
  database.exec("CREATE TABLE users (username TEXT PRIMARY KEY, password TEXT) STRICT");
  for (const name of names) database.prepare("INSERT INTO users VALUES (?, ?)").run(name, password);
  database.close();
}

function namesIn(place: string): string[] {
  return Array.from({ length: accounts }, (_, index) => `${place}-${index}`);
}

function searchIn(pool: string) {
  return {
    protocol: ["*"],
    cache_name: "users",
    pool_name: pool,
    queries: { user: "SELECT username AS account, password FROM users WHERE username = :username" },
    mapping: { account_field: "account" },
  };
}

test("unknown users take as long as accounts of either database, in the proportions of the accounts", async () => {
  await using folder = await scratchFolder();
  const places = { default: join(folder.path, "first.sqlite"), second: join(folder.path, "second.sqlite") };
  writeUsers(places.default, namesIn("first"), cheap);
  writeUsers(places.second, namesIn("second"), costly);
  await using stack = await startStack({
    backends: {
      order: ["sql", "sql(second)"],
      sql: {
        default: { file: places.default },
        pools: { second: { file: places.second } },
        search: [searchIn("default"), searchIn("second")],
      },
    },
    settings: { auth: { pipeline: { local_cache_ttl: "0s" } } },
  });
  const takes = async (username: string): Promise<number> => {
    const started = performance.now();
    expect((await askJson(stack.url, { username, password: "wrong", protocol: "imap" })).status).toBe(403);
    return performance.now() - started;
  };
  const ofSecond: number[] = [];
  for (let index = 0; index < accounts; index += 1) {
    await takes(`first-${index}`);
    ofSecond.push(await takes(`second-${index}`));
  }
  const leastOfSecond = Math.min(...ofSecond);
  let costlyNames = 0;
  for (let index = 0; index < 40; index += 1) if ((await takes(`nobody-${index}`)) >= leastOfSecond) costlyNames += 1;
  // Half of them, by a digest with a random key: fewer than five of forty is one run in a million.
  expect(costlyNames).toBeGreaterThan(4);
});
