import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { factorLockKeys } from "@postern/shared/domain/factor-locks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { testRedis } from "../../support/redis-content.ts";
import { compileCache } from "../../support/service-process.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";

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

test("an operator sees why a user is banned, lifts the ban, and sees that it is lifted", async () => {
  const why = await postern(["why", guesser]);
  expect(why).toMatchObject({ code: 1, err: "" });
  expect(why.out).toMatch(/is banned[\s\S]*203\.0\.113\.0\/24 +wide[\s\S]*postern unban 203\.0\.113\.77/u);
  expect((await postern(["why", alice.username])).out).toContain("203.0.113.0/24");
  expect((await postern(["bans"])).out).toMatch(/^BANNED NETWORK +RULE\n203\.0\.113\.0\/24 +wide/u);

  const unbanned = await postern(["unban", guesser, "--json"]);
  expect(unbanned.code).toBe(0);
  expect(JSON.parse(unbanned.out).removed_keys.length).toBeGreaterThan(0);
  const again = await postern(["unban", guesser]);
  expect([again.code, again.out]).toEqual([0, `${guesser} was not banned: nothing was removed\n`]);
  expect((await postern(["unban", guesser, "--rule", "wide", "--protocol", "imap"])).out).toMatch(
    /was not banned by the selected rules/u,
  );
  expect((await postern(["why", guesser])).code).toBe(0);
  expect((await askJson(stack.url, { ...alice, client_ip: guesser })).status).toBe(200);
});

test("an operator sees that an account is delayed and until when, and ends the delay", async () => {
  // Each from a different network: no rule bans one, and the account has ten distinct wrong passwords. Also an unknown user.
  for (const username of ["bob@example.test", "Nobody@example.test"]) {
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        askJson(stack.url, { ...alice, username, password: `guess-${index}`, client_ip: `198.51.${index}.7` }),
      ),
    );
    const why = await postern(["why", username]);
    expect([why.code, why.err]).toEqual([1, ""]);
    expect(why.out).toMatch(
      /is not banned, but [\s\S]*DELAYED ACCOUNT[\s\S]*@example\.test +10 +\d{4}-\d\d-\d\dT[\s\S]*postern flush /u,
    );
    const shown = JSON.parse((await postern(["why", username, "--json"])).out);
    const leftMs = Date.parse(shown.slowed[0][1].until) - Date.now();
    expect([shown.slowed[0][0], leftMs > 0, leftMs <= 3_600_000]).toEqual([username, true, true]);
  }
  // The list contains existing accounts only; guessers could invent any number of unknown names.
  for (const path of ["", "?limit=100"]) {
    const listed = await fetch(`${stack.url}/api/v1/bruteforce/list${path}`, { headers: { authorization: basicAuth } });
    const { result } = Object(await listed.json());
    expect(result[1].slowed).toEqual({
      "bob@example.test": { wrong_passwords: 10, until: expect.stringMatching(/Z$/u) },
    });
  }
  expect((await postern(["bans"])).out).toMatch(/DELAYED ACCOUNT +WRONG PASSWORDS +UNTIL\nbob@example\.test +10 /u);
  for (const username of ["bob@example.test", "Nobody@example.test"]) {
    expect((await postern(["flush", username])).code).toBe(0);
    expect((await postern(["why", username])).out).not.toContain("DELAYED");
  }
  expect((await postern(["why", "bob@example.test"])).code).toBe(0);
});

test("text in the form of a reference is also searched as a user's name, also without an identity provider", async () => {
  const { code, out } = await postern(["why", "20240101-0001"]);
  expect([code, out]).toEqual([
    1,
    expect.stringMatching(/^no wrong passwords were sent for a user named 20240101-0001/u),
  ]);
});

test("a flush as a job is followed to its end", async () => {
  const { code, out, err } = await postern(["flush", alice.username, "--async"]);
  expect([code, out]).toEqual([0, expect.stringMatching(/^\d+ keys removed\n$/u)]);
  expect(err).toMatch(/job \S+: DONE\n$/u);
  expect((await postern(["flush", "nobody@example.test"])).code).toBe(0);
});

test("the configuration of the running services is shown without secrets", async () => {
  const { code, out } = await postern(["config", "load"]);
  expect([code, out.split("\n")[0]]).toEqual([0, "runtime:"]);
  expect(out).not.toContain("demo-backchannel-secret");
});

test("the exit code is 1 for wrong credentials, 2 for a wrong command line, 3 for an unreachable server, each with an explanation", async () => {
  const [refused, unasked, unknown, away] = await Promise.all([
    postern(["bans"], { POSTERN_PASSWORD: "wrong" }),
    postern(["why"]),
    postern(["bans", "--nonsense"]),
    postern(["bans", "--url", "http://127.0.0.1:9"]),
  ]);
  expect([refused.code, refused.err]).toEqual([
    1,
    "401: missing or wrong credentials: set POSTERN_USER and POSTERN_PASSWORD, or POSTERN_TOKEN\n",
  ]);
  expect([unasked.code, unknown.code]).toEqual([2, 2]);
  expect([away.code, away.err]).toEqual([3, expect.stringContaining("cannot be reached")]);
});

test("help describes what a command does without running it", async () => {
  const { code, out } = await postern(["flush", "--help"]);
  expect([code, out]).toEqual([0, expect.stringContaining("usage: postern flush USER [--async]")]);
});

test("an operator unlocks second factors, whether they were locked or not", async () => {
  const keyPrefix = "postern:";
  const { failures } = factorLockKeys(keyPrefix, alice.username, "totp");
  const redis = await testRedis(stack.redis?.port ?? 0);
  await redis.set(failures, "100", "EX", 60);
  const unlocked = await postern(["unlock", "alice@example.test"]);
  expect(unlocked).toMatchObject({ code: 0, err: "" });
  expect(unlocked.out).toContain("authenticator app: 100 consecutive wrong codes");
  expect(await redis.get(failures)).toBeNull();
  redis.disconnect();
  expect((await postern(["unlock", "alice@example.test"])).out).toContain("no wrong codes had been counted");
});
