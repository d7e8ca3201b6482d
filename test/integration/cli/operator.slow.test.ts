import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { factorLockKeys } from "@postern/shared/domain/factor-locks";
import { poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { testRedis } from "../../support/redis-content.ts";
import { type CommandResult, operatorCredentials, runOnSite, runOperator } from "../../support/run-operator.ts";
import { compileCache } from "../../support/service-process.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";
import { demoBackends } from "../../support/stack-config.ts";

const program = fileURLToPath(new URL("../../../bin/postern", import.meta.url));
const guesser = "203.0.113.77";

let stack: Stack;

const postern = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CommandResult> =>
  runOperator(stack.url, args, env);

async function spawned(
  args: readonly string[],
  connection: Readonly<Record<string, string>> = { POSTERN_URL: stack.url, ...operatorCredentials },
): Promise<CommandResult> {
  const env = { ...compileCache, PATH: process.env["PATH"], ...connection };
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], env });
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.once("close", resolve);
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), promise]);
  return { code, out, err };
}

const totpQueries = {
  totp_read: "SELECT totp_secret FROM users WHERE username = :account",
  totp_write: "UPDATE users SET totp_secret = :secret WHERE username = :account",
  totp_delete: "UPDATE users SET totp_secret = NULL WHERE username = :account",
};

/** The demo's users with their second factors. */
function withFactors(folder: string): object {
  const tree = demoBackends(folder);
  const { sql } = Object(tree);
  const [search] = sql.search;
  return { ...tree, sql: { ...sql, search: [{ ...search, mfa: { enabled: true, queries: totpQueries } }] } };
}

test("the command knows the site on its machine from the configuration, and options override it", async () => {
  const text = await readFile(stack.configFile, "utf8");
  await using folder = await scratchFolder();
  const refused = join(folder.path, "refused.yaml");
  await writeFile(refused, text.replace("{", '{ "storag": {}, '));
  const account = ["account", alice.username];
  const [found, named, despiteProblems, elsewhere, withoutPassword] = await Promise.all([
    spawned(account, { SERVICE_CONFIG_FILE: stack.configFile }),
    runOnSite(stack.configFile, [...account, "--config", stack.configFile]),
    runOnSite(stack.configFile, [...account, "--config", refused]),
    runOnSite(stack.configFile, [...account, "--url", stack.url]),
    runOnSite(stack.configFile, [...account, "--user", "backchannel"]),
  ]);
  expect(found).toMatchObject({ code: 0, err: "" });
  expect(found.out).toContain(alice.username);
  for (const other of [named, despiteProblems]) expect(other).toMatchObject(found);
  // Its password is never sent to another site.
  expect(elsewhere).toMatchObject({ code: 1, err: expect.stringContaining("missing or wrong credentials") });
  expect(withoutPassword).toMatchObject({ code: 2, err: "--password-file is missing\n" });
});

beforeAll(async () => {
  const rule = { name: "wide", period: "10m", ban_time: "1h", cidr: 24, failed_requests: 3, ipv4: true, ipv6: true };
  stack = await startStack({
    shape: "five",
    redis: true,
    services: ["admin", "jobs-worker"],
    backends: withFactors,
    settings: {
      observability: { decision_history: { enabled: true } },
      auth: { controls: { enabled: ["brute_force"], brute_force: { buckets: [rule] } } },
    },
  });
  for (const password of ["one", "two", "three", "four"]) {
    await askJson(stack.url, { ...alice, password, client_ip: guesser });
  }
});

afterAll(() => stack[Symbol.asyncDispose]());

test("an operator sees why a user is banned, lifts the ban, and sees that it is lifted", async () => {
  const why = await postern(["why", guesser]);
  expect(why).toMatchObject({ code: 1, err: "" });
  expect(why.out).toMatch(
    /^Blocked until .+ UTC: 3 failures from 203\.0\.113\.0\/24 \(rule wide\)\. Wrong passwords for alice@example\.test come from .+\.\nTo lift the ban: postern unban 203\.0\.113\.0\/24\n/u,
  );
  expect(JSON.parse((await postern(["why", guesser, "--json"])).out)).toMatchObject({
    kind: "address",
    state: "blocked",
  });
  expect((await postern(["why", alice.username])).out).toContain("203.0.113.0/24");
  expect((await postern(["bans"])).out).toMatch(
    /^BANNED NETWORK +RULE +FAILURES +SINCE +UNTIL\n203\.0\.113\.0\/24 +wide +3 /u,
  );
  expect((await postern(["bans", "--rule", "other"])).out).toMatch(/^no network is banned\n/u);
  expect(JSON.parse((await postern(["bans", "--json"])).out)).toMatchObject({ total: 1, bans: [{ rule: "wide" }] });

  const unbanned = await postern(["unban", guesser, "--json"]);
  expect(unbanned.code).toBe(0);
  expect(JSON.parse(unbanned.out).removed_keys.length).toBeGreaterThan(0);
  const again = await postern(["unban", guesser]);
  expect([again.code, again.out]).toEqual([0, `${guesser} was not banned: nothing was removed\n`]);
  expect((await postern(["unban", guesser, "--rule", "wide", "--protocol", "imap"])).out).toMatch(
    /was not banned by the selected rules/u,
  );
  expect((await postern(["why", guesser])).out).toMatch(/^Not blocked/u);
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
      /^Not blocked, but responses [\s\S]*postern flush [\s\S]*DELAYED ACCOUNT[\s\S]*@example\.test +10 +\d{4}-\d\d-\d\dT/u,
    );
    const shown = JSON.parse((await postern(["why", username, "--json"])).out);
    const leftMs = Date.parse(shown.delay.until) - Date.now();
    // A part of the hour is added, so that not every wrong password has to prolong it.
    expect([shown.state, leftMs > 0, leftMs <= (3_600_000 * 25) / 24]).toEqual(["delayed", true, true]);
  }
  // The list contains existing accounts only; guessers could invent any number of unknown names.
  for (const path of ["", "?limit=100"]) {
    const listed = await fetch(`${stack.url}/api/v1/bruteforce/list${path}`, { headers: { authorization: basicAuth } });
    const { result } = Object(await listed.json());
    expect(result[1].slowed).toEqual({
      "bob@example.test": { wrong_passwords: 10, until: expect.stringMatching(/Z$/u) },
    });
  }
  expect((await postern(["bans"])).out).toMatch(/ATTACKED ACCOUNT [\s\S]*\nbob@example\.test +\d+ +10 +\d{4}-/u);
  for (const username of ["bob@example.test", "Nobody@example.test"]) {
    expect((await postern(["flush", username])).code).toBe(0);
    expect((await postern(["why", username])).out).not.toContain("DELAYED");
  }
  expect((await postern(["why", "bob@example.test"])).out).toMatch(/^Not blocked now\. The last sign-in failed at /u);
});

test("a reference without a record is not found, even without an identity provider", async () => {
  const { code, out } = await postern(["why", "20240101-0001"]);
  expect([code, out]).toEqual([1, expect.stringMatching(/^Not blocked\. No sign-in is recorded\.\n/u)]);
});

test("sign-ins of an account, a network and a reference are listed, with the words of the interface", async () => {
  const { headers } = await askJson(stack.url, { ...alice, password: "wrong", client_ip: "198.51.100.9" });
  const reference = headers.get("x-service-session")?.slice(0, 13) ?? "";
  for (const subject of [alice.username, "198.51.100.0/24", reference]) {
    await poll(`the record of ${subject}`, async () => (await postern(["history", subject])).out.includes(reference));
    const listed = await postern(["history", subject]);
    expect(listed.out).toMatch(/^LAST +TIMES +FROM +BY +ACCOUNT +OUTCOME +REFERENCE\n/u);
    expect(listed.out).toMatch(/ 198\.51\.100\.9 +imap +alice@example\.test +the password was wrong +/u);
  }
  const { records } = JSON.parse((await postern(["history", alice.username, "--json", "--limit", "1"])).out);
  expect(records).toMatchObject([{ outcome: "denied" }]);
  expect((await postern(["history", "unknown@example.test"])).out).toBe(
    "no sign-in of unknown@example.test is recorded\n",
  );
  expect((await postern(["history", alice.username, "--limit", "0"])).code).toBe(2);
});

test("second factors are listed without secrets and removed one by one", async () => {
  const bob = "bob@example.test";
  expect((await postern(["factors", "list", bob])).out).toMatch(/^FACTOR +WHAT\ntotp +authenticator app\n/u);
  const carol = await postern(["factors", "list", "carol@example.test", "--json"]);
  expect(JSON.parse(carol.out)).toMatchObject({ totp: false, recovery_codes_left: 3, app_passwords: 1 });
  expect((await postern(["factors", "reset", bob])).code).toBe(2);
  expect((await postern(["factors", "reset", bob, "--factor", "recovery"])).code).toBe(1);
  const removed = await postern(["factors", "reset", bob, "--factor", "totp"]);
  expect([removed.code, removed.out]).toEqual([0, `removed from ${bob}: totp\n`]);
  expect((await postern(["factors", "list", bob])).out).toBe(`${bob} has no second factor\n`);
  expect((await postern(["factors", "list", "unknown@example.test"])).code).toBe(1);
  const mistyped = await postern(["factors", "lsit", bob]);
  expect([mistyped.code, mistyped.err]).toEqual([2, expect.stringContaining('"lsit" (did you mean list?)')]);
});

test("the state of the site is shown without an identity provider, and without Redis and engines", async () => {
  const whole = await postern(["status"]);
  expect(whole.err).toBe("");
  expect(whole.out).toMatch(
    /^(?:Everything works\.|Sign-in works, with .+\.)\n[\s\S]*SERVICE +INSTANCE[\s\S]*jobs-worker/u,
  );
  const [engine] = stack.engines;
  stack.redis?.signal("SIGSTOP");
  engine?.signal("SIGSTOP");
  try {
    await poll("the engine's silence", async () => (await postern(["status"])).out.includes("no engine answers"));
    const { code, out } = await postern(["status", "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      state: "down",
      redis: [{ state: "down" }, { state: "down" }, { state: "down" }],
    });
  } finally {
    engine?.signal("SIGCONT");
    stack.redis?.signal("SIGCONT");
  }
  await poll("the engine", async () => !(await postern(["status"])).out.includes("no engine answers"));
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
    spawned(["why"]),
    postern(["bans", "--nonsense"]),
    postern(["bans", "--url", "http://127.0.0.1:9"]),
  ]);
  expect([refused.code, refused.err]).toEqual([
    1,
    "401: missing or wrong credentials: run it as a user who can read the site's configuration, or use --user and --password-file\n",
  ]);
  expect([unasked.code, unknown.code]).toEqual([2, 2]);
  expect([away.code, away.err]).toEqual([3, expect.stringContaining("cannot be reached")]);
});

test("help describes what a command does without running it", async () => {
  const { code, out } = await spawned(["flush", "--help"]);
  expect([code, out]).toEqual([0, expect.stringContaining("usage: postern flush USER [--async]")]);
});

test("what the services know about an account is shown without secrets", async () => {
  const carol = await postern(["account", "carol@example.test"]);
  expect(carol.out).toMatch(/^account carol@example\.test\n/u);
  expect(carol.out).toMatch(/ca401ca401ca4010 +demo phone +imap smtp /u);
  expect([carol.code, carol.out.includes("NqfMsiSOQqakrn7PTblxZ3PmjS8PdtGbm6mPvIMPvFQ")]).toEqual([0, false]);
  const json = await postern(["account", "carol@example.test", "--protocol", "pop3", "--json"]);
  expect(JSON.parse(json.out)).toMatchObject({ account: "carol@example.test", protocol: "pop3" });
  expect((await postern(["account", "unknown@example.test"])).code).toBe(1);
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
