import { execFileSync } from "node:child_process";
import { poll, redisUserOf } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ shape: "five", redis: true, services: ["idp", "admin", "jobs-worker"] });
});

afterAll(() => stack[Symbol.asyncDispose]());

/** Connects as the user without limits. */
function redisCli(...words: readonly string[]): string {
  return execFileSync("redis-cli", ["-u", stack.redis?.url ?? "", ...words], { encoding: "utf8" });
}

async function flushLater(): Promise<Response> {
  const headers = { authorization: basicAuth, "content-type": "application/json" };
  const body = JSON.stringify({ user: "alice@example.test" });
  return fetch(`${stack.url}/api/v1/cache/flush/async`, { method: "DELETE", headers, body });
}

const worker = () => {
  const found = stack.services.get("jobs-worker");
  if (found === undefined) throw new Error("no worker");
  return found;
};

const count = (pattern: RegExp): number => worker().output().match(pattern)?.length ?? 0;

test("a job is queued and run with the rights that the documentation names, which do not include INFO", async () => {
  const before = count(/"msg":"job done"/g);
  expect((await flushLater()).status).toBe(202);
  await poll("the job", () => count(/"msg":"job done"/g) > before);
  expect(worker().output()).not.toContain("no right to run");
});

test("a worker without a right says which one, stays alive, and continues once it has the right", async () => {
  const user = redisUserOf("jobs-worker");
  redisCli("acl", "setuser", user, "-bzpopmin", "-evalsha", "-eval");
  const errors = () => count(/an error in the job queue/g);
  const before = errors();
  expect((await flushLater()).status).toBe(202);
  await poll("the refusal", () => errors() > before);
  expect(await worker().readiness()).not.toBe(0);
  const done = count(/"msg":"job done"/g);
  redisCli("acl", "setuser", user, "+bzpopmin", "+evalsha", "+eval");
  await poll("the job", () => count(/"msg":"job done"/g) > done);
  // Only the first refusal is reported; without pauses there would be thousands.
  expect(errors() - before).toBe(1);
});

test("a worker that starts without a right is not ready, and its log names the right", async () => {
  await worker().stop();
  redisCli("acl", "setuser", redisUserOf("jobs-worker"), "-bzpopmin", "-zadd");
  const started = stack.start("jobs-worker");
  await poll("the reason", () => worker().output().includes("no right to run bzpopmin, zadd"));
  expect(await worker().readiness()).toBe(503);
  redisCli("acl", "setuser", redisUserOf("jobs-worker"), "+bzpopmin", "+zadd");
  await started;
});
