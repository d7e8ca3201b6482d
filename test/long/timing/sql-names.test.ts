import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askJson } from "../../support/ask-json.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { areaUnderCurve, distinguishability, standardError, timesOf } from "../../support/time-difference.ts";

/** With this many pairs the standard error of the area is 0.017, so without a difference 0.55 is three of them above 0.5. */
const pairs = 600;
const accounts = 120;

/** The hash types, each of a third of the accounts. */
const kinds = ["salted", "bcrypt", "argon2"] as const;
const nameOf = (index: number): string => `${kinds[index % 3]}-${index}@example.test`;

/** Hashes that match no password. Only their cost matters. */
const stored = {
  salted: `{SSHA256}${Buffer.alloc(40, 7).toString("base64")}`,
  bcrypt: `$2b$07$${"a".repeat(21)}u${"a".repeat(30)}i`,
  argon2: `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`,
} as const;

async function startSite(decoys: readonly object[]): Promise<Stack> {
  const folder = await scratchFolder();
  const file = join(folder.path, "users.sqlite");
  const database = new DatabaseSync(file);
  database.exec("CREATE TABLE users (username TEXT PRIMARY KEY, password TEXT) STRICT");
  const insert = database.prepare("INSERT INTO users VALUES (?, ?)");
  for (let index = 0; index < accounts; index += 1) insert.run(nameOf(index), stored[kinds[index % 3] ?? "salted"]);
  database.close();
  const search = {
    protocol: ["*"],
    cache_name: "users",
    queries: { user: "SELECT username AS account, password FROM users WHERE username = :username" },
    mapping: { account_field: "account" },
  };
  const stack = await startStack({
    backends: { order: ["sql"], sql: { default: { file }, search: [search] } },
    settings: { auth: { pipeline: { local_cache_ttl: "0s", decoy_passwords: decoys } } },
  });
  const dispose = async (): Promise<void> => {
    await stack[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  };
  return { ...stack, [Symbol.asyncDispose]: dispose };
}

let names = 0;
const unknownName = (): string => `unknown-${(names += 1)}@example.test`;

function asking(stack: Stack) {
  const ask = async (username: string): Promise<number> =>
    (await askJson(stack.url, { username, password: "wrong password", protocol: "imap", client_ip: "203.0.113.9" }))
      .status;
  return {
    ask,
    known: async (index: number) => expect(await ask(nameOf(index))).toBe(403),
    unknown: async () => expect(await ask(unknownName())).toBe(403),
    /** Reads the cheapest hash repeatedly, which must not influence the decoys. */
    prime: async () => {
      for (let count = 0; count < 50; count += 1) await ask(nameOf(0));
    },
  };
}

describe.each([
  ["configured", true],
  ["learned", false],
])("accounts with hashes of three costs, decoys %s", (_how, isConfigured) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startSite(isConfigured ? kinds.map((kind) => ({ stored: stored[kind] })) : []);
    // Makes the engine learn from all accounts first.
    for (let index = 0; index < accounts; index += 1) await asking(stack).known(index);
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  test("the measurement detects a planted difference of 5 ms and different hash costs", async () => {
    const { ask } = asking(stack);
    const same = await timesOf(200, { first: () => ask(nameOf(0)), second: () => ask(nameOf(3)) });
    expect(areaUnderCurve({ ...same, second: same.second.map((ms) => ms + 5) })).toBeGreaterThan(0.8);
    // The difference that an observer would see between hash types.
    const costs = await timesOf(100, { first: () => ask(nameOf(0)), second: () => ask(nameOf(2)) });
    expect(areaUnderCurve(costs)).toBeGreaterThan(0.9);
  });

  test("unknown users take as long as known users, even after a cheap hash was read often", async () => {
    const { known, unknown, prime } = asking(stack);
    await prime();
    const times = await timesOf(pairs, { first: known, second: unknown });
    expect(3 * standardError(times)).toBeLessThan(0.052);
    expect(distinguishability(times)).toBeLessThanOrEqual(0.55);
  });
});
