import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { compileCache } from "../../support/service-process.ts";
import { type Stack, startStack } from "../../support/stack.ts";

const program = fileURLToPath(new URL("../../../bin/postern", import.meta.url));
const guesser = "203.0.113.77";

let stack: Stack;

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

async function postern(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...compileCache,
      PATH: process.env["PATH"],
      POSTERN_URL: stack.url,
      POSTERN_USER: "backchannel",
      POSTERN_PASSWORD: "demo-backchannel-secret",
      ...env,
    },
  });
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.once("close", resolve);
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), promise]);
  return { code, out, err };
}

beforeAll(async () => {
  const rule = { name: "wide", period: "10m", ban_time: "1h", cidr: 24, failed_requests: 3, ipv4: true, ipv6: true };
  stack = await startStack({
    redis: true,
    services: ["admin", "jobs-worker"],
    settings: { auth: { controls: { enabled: ["brute_force"], brute_force: { buckets: [rule] } } } },
  });
  for (const password of ["one", "two", "three", "four"]) {
    await askJson(stack.url, { ...alice, password, client_ip: guesser });
  }
});

afterAll(() => stack[Symbol.asyncDispose]());

test("an operator sees why a user is kept out, lets the network in again, and sees that it is open", async () => {
  const why = await postern(["why", guesser]);
  expect(why).toMatchObject({ code: 1, err: "" });
  expect(why.out).toMatch(/is blocked[\s\S]*203\.0\.113\.0\/24 +wide[\s\S]*postern unban 203\.0\.113\.77/u);
  expect((await postern(["why", alice.username])).out).toContain("203.0.113.0/24");
  expect((await postern(["bans"])).out).toMatch(/^BLOCKED +RULE\n203\.0\.113\.0\/24 +wide/u);

  const unbanned = await postern(["unban", guesser, "--json"]);
  expect(unbanned.code).toBe(0);
  expect(JSON.parse(unbanned.out).removed_keys.length).toBeGreaterThan(0);
  expect((await postern(["why", guesser])).code).toBe(0);
  expect((await askJson(stack.url, { ...alice, client_ip: guesser })).status).toBe(200);
});

test("a flush as a job is followed to its end", async () => {
  const { code, out, err } = await postern(["flush", alice.username, "--async"]);
  expect([code, out]).toEqual([0, expect.stringMatching(/^\d+ keys were removed\n$/u)]);
  expect(err).toMatch(/job \S+: DONE\n$/u);
  expect((await postern(["flush", "nobody@example.test"])).code).toBe(0);
});

test("the configuration over there is shown without secrets", async () => {
  const { code, out } = await postern(["config", "load"]);
  expect([code, out.split("\n")[0]]).toEqual([0, "runtime:"]);
  expect(out).not.toContain("demo-backchannel-secret");
});

test("wrong credentials are 1, a wrong command line 2, nobody there 3; each says what is wrong", async () => {
  const [refused, unasked, unknown, away] = await Promise.all([
    postern(["bans"], { POSTERN_PASSWORD: "wrong" }),
    postern(["why"]),
    postern(["bans", "--nonsense"]),
    postern(["bans", "--url", "http://127.0.0.1:9"]),
  ]);
  expect([refused.code, refused.err]).toEqual([1, "401: the credentials are missing or wrong\n"]);
  expect([unasked.code, unknown.code]).toEqual([2, 2]);
  expect([away.code, away.err]).toEqual([3, expect.stringContaining("cannot be reached")]);
});

test("help tells what a command does before it does it", async () => {
  const { code, out } = await postern(["flush", "--help"]);
  expect([code, out]).toEqual([0, expect.stringContaining("usage: postern flush USER [--async]")]);
});
