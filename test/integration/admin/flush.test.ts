import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { RedisClient } from "@postern/shared/platform/redis";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AdminAnswer, askAdmin } from "../../support/ask-admin.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import { testRedis } from "../../support/redis-content.ts";
import { type OperatorsStack, startOperatorsStack } from "./operators-stack.ts";

const cachePath = "/api/v1/cache/flush";
const bruteForcePath = "/api/v1/bruteforce/flush";
const listPath = "/api/v1/bruteforce/list";
/** Enough requests for both engines to serve some. */
const many = 12;

let stack: OperatorsStack;
let redis: RedisClient;
let database: DatabaseSync;

beforeAll(async () => {
  stack = await startOperatorsStack(["admin"]);
  redis = await testRedis(stack.redis?.port ?? 0);
  database = new DatabaseSync(join(stack.folder, "directory.sqlite"));
});

afterAll(async () => {
  database.close();
  redis.disconnect();
  await stack[Symbol.asyncDispose]();
});

interface Login {
  readonly username?: string;
  readonly password?: string;
  readonly from: string;
  readonly protocol?: string;
  readonly oidcClient?: string;
}

const login = ({ from, oidcClient, ...rest }: Login) =>
  askJson(stack.url, { ...alice, ...rest, client_ip: from, ...(oidcClient && { oidc_cid: oidcClient }) });

async function statuses(what: Login): Promise<readonly number[]> {
  const answers = await Promise.all(Array.from({ length: many }, () => login(what)));
  return [...new Set(answers.map(({ status }) => status))];
}

/** Bans an address by guessing, with a different wrong password each time. */
async function guess(what: Login): Promise<void> {
  for (let count = 0; count < 3; count += 1) await login({ ...what, password: `wrong-${count}` });
}

/** Keys of lists, which a flush does not name. */
const isIndex = (key: string): boolean => /:bf:(?:bans|accounts):|:account:|:probe:|:budget:/u.test(key);

async function keys(): Promise<readonly string[]> {
  return (await redis.keys("postern:*")).filter((key) => !isIndex(key)).toSorted();
}

/** A flush, and the keys that it really deleted, of those before it and those that it names: engines write some after they answer. */
async function flush(path: string, body: object): Promise<{ answer: AdminAnswer; gone: readonly string[] }> {
  const before = await keys();
  const answer = await askAdmin(stack, "DELETE", path, { body });
  const after = new Set(await keys());
  const { removed_keys: removed = [] } = resultOf(answer);
  const known = new Set([...before, ...(Array.isArray(removed) ? removed.map(String) : [])]);
  return { answer, gone: [...known].filter((key) => !after.has(key)).toSorted() };
}

const resultOf = ({ body }: AdminAnswer): Readonly<Record<string, unknown>> => Object(body["result"]);

describe("DELETE /api/v1/cache/flush", () => {
  test("answers 200 and the envelope; unknown users are not flushed", async () => {
    const { status, body, headers } = await askAdmin(stack, "DELETE", cachePath, { body: { user: "nobody" } });
    expect([status, body]).toEqual([
      200,
      {
        session: expect.stringMatching(/^[0-9a-f-]{36}$/u),
        object: "cache",
        operation: "flush",
        result: { user: "nobody", removed_keys: [], status: "not flushed" },
      },
    ]);
    expect(headers.get("x-service-session")).toBe(body["session"]);
  });

  test("by login name: clears both engines' memory, lifts the bans of every address of the account, and names each deleted key", async () => {
    const own = { from: "192.0.2.1" };
    await statuses({ ...own, username: "alice" });
    await statuses(own);
    for (const from of ["198.51.100.1", "203.0.113.1"]) await guess({ from, username: "alice" });
    await guess({ from: "198.51.100.1" });
    expect(await statuses({ from: "198.51.100.9" })).toEqual([403]);
    const { answer, gone } = await flush(cachePath, { user: "alice" });
    const { user, removed_keys: removed, status } = resultOf(answer);
    expect([user, removed, status]).toEqual(["alice", gone, `${gone.length} keys flushed`]);
    const text = gone.join("\n");
    for (const part of [":result:", ":login-name:", ":ban:wide:198.51.100.0/24", ":count:wide:203.0.113.0/24"]) {
      expect(text).toContain(part);
    }
    expect(text).toContain(":pw:203.0.113.1:alice");
    for (const from of ["198.51.100.9", "203.0.113.9"]) expect(await statuses({ from })).toEqual([200]);
    expect(resultOf((await flush(cachePath, { user: "alice" })).answer)["removed_keys"]).not.toEqual(gone);
  });

  test("by account: lifts and lists the bans of addresses from which it was guessed by an alias", async () => {
    for (const from of ["198.51.100.1", "203.0.113.1"]) await guess({ from, username: "alice" });
    const listed = await askAdmin(stack, "POST", listPath, { body: { accounts: [alice.username] } });
    expect(listed.text).toMatch(/"alice@example.test":\["203.0.113.1","198.51.100.1"\]/u);
    const { gone } = await flush(cachePath, { user: alice.username });
    expect(gone.filter((key) => key.includes(":ban:wide:"))).toHaveLength(2);
  });

  test("by an alias without a key: resolves it in the backend, and removes cached logins of its account on every engine", async () => {
    const own = { from: "192.0.2.2" };
    expect(await statuses(own)).toEqual([200]);
    const kept = database.prepare("SELECT password FROM users WHERE uid = 'alice'").get();
    database
      .prepare("UPDATE users SET password = (SELECT password FROM users WHERE uid = 'bob') WHERE uid = 'alice'")
      .run();
    expect(await statuses(own)).toEqual([200]);
    const { answer, gone } = await flush(cachePath, { user: "alice" });
    expect(resultOf(answer)["removed_keys"]).toEqual(gone);
    expect(gone.length).toBeGreaterThan(0);
    await poll("the old password to be rejected", async () => String(await statuses(own)) === "403");
    database.prepare("UPDATE users SET password = ? WHERE uid = 'alice'").run(String(kept?.["password"]));
    await askAdmin(stack, "DELETE", cachePath, { body: { user: alice.username } });
  });

  test.each([
    ["a wildcard", { user: "*" }],
    ["a wildcard in it", { user: "al*@example.test" }],
    ["an empty name", { user: "" }],
    ["no name", {}],
    ["a number", { user: 7 }],
    ["a list", ["alice"]],
    ["text that is not JSON", "{user"],
    ["an empty body", ""],
  ])("answers 400 to %s", async (_what, body) => {
    const { status, body: answer } = await askAdmin(stack, "DELETE", cachePath, { body });
    expect([status, answer]).toEqual([400, { error: expect.any(String) }]);
  });
});

describe("DELETE /api/v1/bruteforce/flush", () => {
  const from = "198.18.0.7";
  const echo = { ip_address: from, rule_name: "*", protocol: "", oidc_cid: "" };

  /** Bans as three rules would write them one after the other, because one login can trigger only one ban. */
  async function banByAll(): Promise<void> {
    const now = Date.now();
    const rules = { wide: "198.18.0.0/24", "imap-only": from, "web-only": from };
    for (const [rule, network] of Object.entries(rules)) {
      const place = `${rule}:${network}`;
      await redis.set(
        `postern:bf:{198.18.0.0/24}:ban:${place}`,
        `${now} ${now + 600_000} ${network} ${rule}`,
        "PX",
        600_000,
      );
      await redis.hset(`postern:bf:{198.18.0.0/24}:count:${place}`, { w: "1" });
    }
    await redis.set(`postern:bf:{198.18.0.0/24}:guesses:${from}`, "1");
  }

  test("* deletes all keys of the address, and names them", async () => {
    await banByAll();
    const { answer, gone } = await flush(bruteForcePath, { ip_address: from, rule_name: "*" });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        session: expect.any(String),
        object: "bruteforce",
        operation: "flush",
        result: { ...echo, removed_keys: gone, status: `${gone.length} keys flushed` },
      },
    ]);
    expect(gone.filter((key) => key.includes(":ban:"))).toHaveLength(3);
    expect(await statuses({ from, username: "bob@example.test", password: "bob-demo-password" })).toEqual([200]);
  });

  test.each([
    ["a rule", { rule_name: "imap-only" }, ["imap-only"]],
    ["a protocol: the rules restricted to it", { rule_name: "*", protocol: "imap" }, ["imap-only"]],
    ["an OIDC client", { rule_name: "*", oidc_cid: "webmail" }, ["web-only"]],
    ["a protocol without a rule", { rule_name: "*", protocol: "pop3" }, []],
    ["a rule for all protocols, with one of them", { rule_name: "wide", protocol: "imap" }, ["wide"]],
    ["an unknown rule", { rule_name: "unheard-of" }, []],
  ])("restricted by %s", async (_what, filter, rules) => {
    await banByAll();
    const { answer, gone } = await flush(bruteForcePath, { ip_address: from, ...filter });
    const { removed_keys: removed, status, ...echoed } = resultOf(answer);
    expect([answer.status, removed, echoed]).toEqual([200, gone, { ...echo, ...filter }]);
    expect(status).toBe(gone.length === 0 ? "not flushed" : `${gone.length} keys flushed`);
    expect(gone.map((key) => /:(?:ban|count):([a-z-]+):/u.exec(key)?.[1])).toEqual(rules.flatMap((one) => [one, one]));
    await askAdmin(stack, "DELETE", bruteForcePath, { body: { ip_address: from, rule_name: "*" } });
  });

  test("accepts a network as the list names it, IPv6 too", async () => {
    await guess({ from: "2001:db8:7:7::1" });
    expect(await statuses({ from: "2001:db8:7:7::2" })).toEqual([403]);
    const { answer } = await flush(bruteForcePath, { ip_address: "2001:db8:7:7::/64", rule_name: "six" });
    expect(resultOf(answer)["status"]).toBe("2 keys flushed");
    expect(await statuses({ from: "2001:db8:7:7::2" })).toEqual([200]);
  });

  test.each([
    ["a missing address", { rule_name: "*" }],
    ["a missing rule", { ip_address: from }],
    ["an empty rule", { ip_address: from, rule_name: "" }],
    ["an invalid address", { ip_address: "192.0.2.999", rule_name: "*" }],
    ["a name instead of an address", { ip_address: "localhost", rule_name: "*" }],
    ["a number instead of a protocol", { ip_address: from, rule_name: "*", protocol: 5 }],
    ["text that is not JSON", "nothing"],
  ])("answers 400 to %s", async (_what, body) => {
    const { status, body: answer } = await askAdmin(stack, "DELETE", bruteForcePath, { body });
    expect([status, answer]).toEqual([400, { error: expect.any(String) }]);
  });
});

test("after a flush by account, addresses that guess again are remembered again, even without a ban", async () => {
  // Each engine notes an address once an hour. Too few guesses for a ban, and too many addresses for one engine.
  const addresses = Array.from({ length: 8 }, (_, index) => `192.0.${100 + index}.7`);
  const guessFromEach = (password: string) =>
    Promise.all(
      addresses.map((address) => askJson(stack.url, { ...alice, username: "alice", password, client_ip: address })),
    );
  const remembered = async (): Promise<readonly string[]> => {
    const body = { accounts: [alice.username] };
    const { text } = await askAdmin(stack, "POST", "/api/v1/bruteforce/list", { body });
    return addresses.filter((address) => text.includes(`"${address}"`));
  };
  const allAreRemembered = async (): Promise<boolean> => (await remembered()).length === addresses.length;
  await guessFromEach("again-1");
  await guessFromEach("again-2");
  await poll("the addresses to be remembered", allAreRemembered);
  await askAdmin(stack, "DELETE", "/api/v1/cache/flush", { body: { user: alice.username } });
  expect(await remembered()).toEqual([]);
  await guessFromEach("again-3");
  await poll("all of them to be remembered again", allAreRemembered);
});
