import { join } from "node:path";
import { expect, test } from "vitest";
import { writeUsers } from "../../support/accounts-database.ts";
import { askJson } from "../../support/ask-json.ts";
import { startStack } from "../../support/stack.ts";

/** No password matches them: only their cost matters. The first takes no time, the second some ten milliseconds. */
const cheap = `{SSHA256}${Buffer.alloc(40, 7).toString("base64")}`;
const costly = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;
/** With so many known accounts, an engine relies only on the hashes it has seen in a database. */
const accounts = 96;

function usersIn(place: string, stored: string): readonly (readonly [string, string])[] {
  return Array.from({ length: accounts }, (_, index) => [`${place}-${index}`, stored]);
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
  await using stack = await startStack({
    backends: (folder) => {
      const files = { default: join(folder, "first.sqlite"), second: join(folder, "second.sqlite") };
      writeUsers(files.default, usersIn("first", cheap));
      writeUsers(files.second, usersIn("second", costly));
      return {
        order: ["sql", "sql(second)"],
        sql: {
          default: { file: files.default },
          pools: { second: { file: files.second } },
          search: [searchIn("default"), searchIn("second")],
        },
      };
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
