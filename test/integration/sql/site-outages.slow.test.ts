import { type DatabaseServer, freePort, poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askJson } from "../../support/ask-json.ts";
import { type LoadRequest, startLoad } from "../../support/load.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { type StallableProxy, startStallableProxy } from "../../support/stallable-proxy.ts";
import { sites } from "./site.ts";

const alice = {
  username: "alice@example.test",
  password: "alice-old-password",
  protocol: "imap",
  client_ip: "203.0.113.9",
};

describe.each(sites)("$name", ({ start, backends }) => {
  let database: DatabaseServer;
  let proxy: StallableProxy;
  let stack: Stack;

  const recovered = () => poll("right logins again", async () => (await askJson(stack.url, alice)).status === 200);

  beforeAll(async () => {
    database = await start();
    proxy = await startStallableProxy(database.port);
    stack = await startStack({
      engines: 2,
      backends: backends(database, proxy.port),
      // Without the memory cache, which would answer while the database is unavailable.
      settings: { runtime: { timeouts: { decision: "2s" } }, auth: { pipeline: { local_cache_ttl: "0s" } } },
    });
  });

  afterAll(async () => {
    await stack[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  test("one of two servers unavailable from the start: the other answers every login, and the engine is ready", async () => {
    await using one = await startStack({
      backends: backends(database, await freePort(), database.port),
      settings: { auth: { pipeline: { local_cache_ttl: "0s" } } },
    });
    const logins = Array.from({ length: 12 }, () => askJson(one.url, alice));
    expect((await Promise.all(logins)).map((answer) => answer.status)).toEqual(logins.map(() => 200));
    expect((await askJson(one.url, { ...alice, password: "wrong" })).status).toBe(403);
    expect(await one.service("auth-engine").readiness()).toBe(200);
  });

  test("while the database is killed, stopped or unreachable under load, no right login is denied, responses are in time, and it recovers", async () => {
    const right: LoadRequest = { name: "right login", body: alice, right: 200 };
    await using load = startLoad(stack.url, { loops: 4, requests: [right] });
    await database.kill();
    await poll("temporary failures", async () => load.surprises().length > 3);
    await database.start();
    await recovered();
    const killed = load.surprises().length;
    await database.pause();
    await poll("temporary failures", async () => load.surprises().length > killed + 3);
    await database.resume();
    await recovered();
    const stopped = load.surprises().length;
    proxy.stall();
    await poll("temporary failures", async () => load.surprises().length > stopped + 3);
    proxy.resume();
    await recovered();
    const surprises = await load.stop();
    expect(surprises.filter(({ status: statusCode }) => statusCode !== 500)).toEqual([]);
  });
});
