import { once } from "node:events";
import { request } from "node:http";
import { join } from "node:path";
import { shardOf } from "@postern/shared/domain/brute-force";
import type { RedisClient } from "@postern/shared/platform/redis";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accountsBackends, createAccountsDatabase } from "../../support/accounts-database.ts";
import { askAccounts, firstBytes, pagesHeld, wholeBody } from "../../support/ask-accounts.ts";
import { askAdmin } from "../../support/ask-admin.ts";
import { testRedis } from "../../support/redis-content.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";

const count = 50_000;
/** Long enough that the buffers of sockets hold only a part of the list. */
const nameLength = 400;
const accountsPerPage = 500;

let stack: Stack;
let redis: RedisClient;

beforeAll(async () => {
  stack = await startStack({
    shape: "one",
    redis: true,
    services: ["idp", "admin", "jobs-worker"],
    backends: (folder) => {
      const file = join(folder, "accounts.sqlite");
      createAccountsDatabase({ file, count, nameLength });
      return accountsBackends(file);
    },
  });
  redis = await testRedis(stack.redis?.port ?? 0);
});

afterAll(async () => {
  redis.disconnect();
  await stack[Symbol.asyncDispose]();
});

/** Accounts whose addresses admin has read. */
async function accountsRead(): Promise<number> {
  const text = await redis.info("commandstats");
  return Number(/cmdstat_zrevrange:calls=(\d+)/u.exec(text)?.[1] ?? 0);
}

async function accountsHeld(): Promise<number> {
  let seen = -1;
  let unchanged = 0;
  return poll("admin to read no more", async () => {
    const read = await accountsRead();
    unchanged = read === seen ? unchanged + 1 : 0;
    seen = read;
    return unchanged > 20 ? read : undefined;
  });
}

describe("a list of 50,000 accounts, all of whose pages are read by an engine of the same process", () => {
  test("contains each account once", async () => {
    const response = await askAccounts(stack.url, { accept: "application/json" });
    const names: unknown = JSON.parse((await wholeBody(response)).toString());
    expect(new Set(Array.isArray(names) ? names : []).size).toBe(count);
  });

  test("is read as fast as the client reads it, and ends when the client disconnects", async () => {
    const before = await pagesHeld(stack.engines);
    const response = await askAccounts(stack.url, { accept: "text/plain" });
    await firstBytes(response);
    const held = await pagesHeld(stack.engines);
    expect(held - before).toBeLessThan(count / accountsPerPage);
    response.destroy();
    await poll("the end of the list", () => /"reason":"REQUEST_ABORTED"/u.test(stack.gateway.output()));
    expect(await pagesHeld(stack.engines)).toBeLessThanOrEqual(held + 1);
  });
});

describe("a list of the management API, which passes through the Unix socket", () => {
  const path = "/api/v1/bruteforce/list";

  beforeAll(async () => {
    const names = Array.from({ length: count }, (_, index) => `u${index}`.padEnd(nameLength, "x"));
    const byShard = Map.groupBy(names, shardOf);
    for (const [shard, members] of byShard) {
      for (let first = 0; first < members.length; first += 1000) {
        const part = members.slice(first, first + 1000).flatMap((name) => [Date.now(), name]);
        await redis.zadd(`postern:bf:accounts:{${shard}}`, ...part);
      }
    }
  });

  test("contains each account once", async () => {
    const { status, body } = await askAdmin(stack, "GET", path);
    const [, accounts] = [body["result"]].flat();
    expect([status, Object.keys(Object(accounts).accounts).length]).toEqual([200, count]);
  });

  test("is read as fast as the client reads it, and ends when the client disconnects", async () => {
    const before = await accountsRead();
    const sent = request(`${stack.url}${path}`, { agent: false, headers: { authorization: basicAuth } });
    sent.end();
    const [response] = await once(sent, "response");
    await firstBytes(response);
    const held = await accountsHeld();
    expect(held - before).toBeLessThan(count);
    response.destroy();
    expect(await accountsHeld()).toBeLessThanOrEqual(held + 200);
    expect((await askAdmin(stack, "GET", `${path}?limit=1`)).status).toBe(200);
  });
});
