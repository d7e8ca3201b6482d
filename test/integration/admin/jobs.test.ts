import { connect } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { RedisClient } from "@postern/shared/platform/redis";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AdminAnswer, askAdmin } from "../../support/ask-admin.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import { testRedis } from "../../support/redis-content.ts";
import type { ServiceProcess } from "../../support/service-process.ts";
import {
  enqueue,
  enqueueAll,
  flushOf,
  jobOf,
  resultOf,
  seedBans,
  seededKeys,
  untilAllEnded,
  untilEnded,
} from "./follow-job.ts";
import { type OperatorsStack, operatorPassword, startOperatorsStack } from "./operators-stack.ts";

const cachePath = "/api/v1/cache/flush";
const bruteForcePath = "/api/v1/bruteforce/flush";
const listPath = "/api/v1/bruteforce/list";

let stack: OperatorsStack;
let redis: RedisClient;
const workers: ServiceProcess[] = [];

beforeAll(async () => {
  stack = await startOperatorsStack(["admin"]);
  redis = await testRedis(stack.redis?.port ?? 0);
  for (let count = 0; count < 2; count += 1) workers.push(await stack.start("jobs-worker"));
});

afterAll(async () => {
  redis.disconnect();
  await stack[Symbol.asyncDispose]();
});

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u);

describe("an asynchronous flush", () => {
  test("is answered with 202 and the envelope, then is DONE with times and the number of keys, and clears both engines' memory", async () => {
    const logIn = () => askJson(stack.url, { ...alice, client_ip: "192.0.2.1" });
    const hit = async () => (await logIn()).headers.get("x-service-memory-cache");
    await poll("a hit", async () => (await hit()) === "Hit");
    const { status, body } = await askAdmin(stack, "DELETE", `${cachePath}/async`, { body: { user: alice.username } });
    expect([status, body]).toEqual([
      202,
      {
        session: expect.stringMatching(/^[0-9a-f-]{36}$/u),
        object: "cache",
        operation: "flush_async",
        result: { jobId: expect.any(String), status: "QUEUED" },
      },
    ]);
    const jobId = String(resultOf(body)["jobId"]);
    expect(await untilEnded(stack, jobId)).toEqual({
      jobId,
      status: "DONE",
      type: "CACHE_FLUSH",
      createdAt: isoTime,
      startedAt: isoTime,
      finishedAt: isoTime,
      resultCount: 1,
      error: "",
    });
    const answer = await jobOf(stack, jobId);
    expect(answer.body).toMatchObject({ session: expect.any(String), object: "async", operation: "status" });
    await poll("a miss on every engine", async () => (await hit()) !== "Hit");
  });

  test("clears the memory of both engines, whichever worker runs it: cached logins and bans end", async () => {
    const database = new DatabaseSync(join(stack.folder, "directory.sqlite"));
    const kept = database.prepare("SELECT password FROM users WHERE uid = 'alice'").get();
    const logIns = async (from: string): Promise<string> => {
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => askJson(stack.url, { ...alice, client_ip: from })),
      );
      return [...new Set(answers.map(({ status }) => status))].join(" ");
    };
    const done = async (path: string, body: object): Promise<void> => {
      const answer = await askAdmin(stack, "DELETE", path, { body });
      await untilEnded(stack, String(resultOf(answer.body)["jobId"]));
    };
    for (const round of ["one worker", "another"]) {
      const [cached, banned] = round === "another" ? ["192.0.2.3", "203.0.113.8"] : ["192.0.2.2", "203.0.113.7"];
      expect([round, await logIns(cached)]).toEqual([round, "200"]);
      database
        .prepare("UPDATE users SET password = (SELECT password FROM users WHERE uid = 'bob') WHERE uid = 'alice'")
        .run();
      expect([round, await logIns(cached)]).toEqual([round, "200"]);
      await done(`${cachePath}/async`, { user: alice.username });
      await poll("both engines to reject the old password", async () => (await logIns(cached)) === "403");
      database.prepare("UPDATE users SET password = ? WHERE uid = 'alice'").run(String(kept?.["password"]));
      await done(`${bruteForcePath}/async`, { ip_address: cached, rule_name: "*" });
      for (let guess = 0; guess < 3; guess += 1) {
        await askJson(stack.url, { ...alice, client_ip: banned, password: `${round}-${guess}` });
      }
      expect([round, await logIns(banned)]).toEqual([round, "403"]);
      await done(`${bruteForcePath}/async`, { ip_address: banned, rule_name: "*" });
      await poll("no engine to apply the ban", async () => (await logIns(banned)) === "200");
    }
    database.close();
  });

  test("of bans deletes the same keys as a synchronous one; a second one, or one of an unknown rule, is DONE without keys", async () => {
    await seedBans(redis, 1);
    const answer = await askAdmin(stack, "DELETE", `${bruteForcePath}/async`, { body: flushOf(0) });
    expect(answer.body).toMatchObject({ object: "bruteforce", operation: "flush_async" });
    const jobId = String(resultOf(answer.body)["jobId"]);
    expect(await untilEnded(stack, jobId)).toMatchObject({ type: "BF_FLUSH", status: "DONE", resultCount: 2 });
    expect(await seededKeys(redis)).toEqual([]);
    const again = await enqueue(stack, flushOf(0));
    expect(await untilEnded(stack, again)).toMatchObject({ status: "DONE", resultCount: 0, error: "" });
    const unknown = await enqueue(stack, { ip_address: "10.0.0.1", rule_name: "unheard-of" });
    expect(await untilEnded(stack, unknown)).toMatchObject({ status: "DONE", resultCount: 0, error: "" });
  });

  test.each([
    [`${cachePath}/async`, { user: "a*" }],
    [`${cachePath}/async`, {}],
    [`${bruteForcePath}/async`, { rule_name: "*" }],
    [`${bruteForcePath}/async`, { ip_address: "10.0.0.1" }],
    [`${bruteForcePath}/async`, { ip_address: "here", rule_name: "*" }],
    [`${bruteForcePath}/async`, "no JSON"],
  ])("is rejected with 400: %s %j", async (path, body) => {
    expect((await askAdmin(stack, "DELETE", path, { body })).status).toBe(400);
  });
});

describe("GET /api/v1/async/jobs/{jobId}", () => {
  test.each(["00000000-0000-4000-8000-000000000000", "nonsense", "x%2fmeta", "meta", "wait"])(
    "answers 404 to %s",
    async (jobId) => {
      expect((await jobOf(stack, jobId)).status).toBe(404);
    },
  );

  test("takes one round trip to Redis", async () => {
    const jobId = await enqueue(stack, flushOf(0));
    await untilEnded(stack, jobId);
    const socket = connect(stack.redis?.port ?? 0, "127.0.0.1");
    let seen = "";
    socket.on("data", (bytes: Buffer) => {
      seen += bytes.toString();
    });
    socket.write("MONITOR\r\n");
    await poll("the monitor", () => seen.includes("+OK"));
    expect((await jobOf(stack, jobId)).status).toBe(200);
    await redis.set("end-of-watch", "1", "EX", 5);
    await poll("the last command sent", () => seen.includes("end-of-watch"));
    socket.destroy();
    const sent = seen.split("\n").filter((line) => line.includes(jobId) && !/\[\d+ lua\]/u.test(line));
    expect(sent).toHaveLength(1);
  });
});

describe("access", () => {
  const requests = [
    ["DELETE", cachePath, { user: "nobody" }, 200],
    ["DELETE", bruteForcePath, flushOf(0), 200],
    ["DELETE", `${cachePath}/async`, { user: "nobody" }, 202],
    ["DELETE", `${bruteForcePath}/async`, flushOf(0), 202],
    ["GET", listPath, undefined, 200],
    ["POST", listPath, {}, 200],
    ["GET", "/api/v1/async/jobs/x", undefined, 404],
  ] as const;
  const good = requests.map((request) => request[3]);
  const all = (status: number) => requests.map(() => status);

  async function statusesFor(headers: Readonly<Record<string, string>>): Promise<readonly number[]> {
    const answers = await Promise.all(
      requests.map(([method, path, body]) => askAdmin(stack, method, path, { body, headers })),
    );
    return answers.map(({ status }) => status);
  }

  test.each(["service:security", "service:admin"])("Bearer with %s", async (scope) => {
    const token = await stack.issuer.token({ scope: `service:authenticate ${scope}` });
    expect(await statusesFor(bearer(token))).toEqual(good);
  });

  test("403 for Bearer without the scope, and for one with another", async () => {
    expect(await statusesFor(bearer(await stack.issuer.token()))).toEqual(all(403));
    const other = await stack.issuer.token({ scope: "service:authenticate service:mfa_write" });
    expect(await statusesFor(bearer(other))).toEqual(all(403));
  });

  test("JWT with the role security is accepted, with another role it is rejected", async () => {
    expect(await statusesFor(bearer(await jwtOf("operator")))).toEqual(good);
    expect(await statusesFor(bearer(await jwtOf("mailer")))).toEqual(all(403));
  });

  test("Basic is accepted; missing credentials and a wrong password are rejected with 401", async () => {
    expect(await statusesFor({})).toEqual(good);
    expect(await statusesFor({ authorization: "" })).toEqual(all(401));
    expect(await statusesFor({ authorization: "Basic YmFja2NoYW5uZWw6d3Jvbmc=" })).toEqual(all(401));
  });

  test("400 for another content type", async () => {
    const headers = { "content-type": "text/plain" };
    const answers = await Promise.all(
      [cachePath, `${cachePath}/async`].map((path) =>
        askAdmin(stack, "DELETE", path, { body: { user: "nobody" }, headers }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
  });
});

describe("workers that stop", () => {
  test("SIGTERM: running jobs finish, and waiting jobs are left to another worker", async () => {
    await workers.shift()?.stop();
    const jobs = 100;
    await seedBans(redis, jobs);
    const queued = enqueueAll(stack, jobs);
    await poll("some jobs to be completed", async () => (await seededKeys(redis)).length < 2 * jobs - 20);
    expect(await workers.shift()?.stop()).toBe(0);
    const ids = await queued;
    const left = await Promise.all(ids.map((id) => jobOf(stack, id)));
    const states = new Set(left.map(({ body }) => resultOf(body)["status"]));
    expect(states).toEqual(new Set(["DONE", "QUEUED"]));
    const waiting = left.map(({ body }) => resultOf(body)).filter(({ status }) => status === "QUEUED");
    // In the order in which they were queued, without a gap.
    const ahead = waiting.map((record) => Number(record["ahead"])).toSorted((a, b) => a - b);
    expect(ahead).toEqual(waiting.map((_, index) => index));
    workers.push(await stack.start("jobs-worker"));
    const records = await untilAllEnded(stack, ids);
    expect(records.reduce((sum, { resultCount }) => sum + Number(resultCount), 0)).toBe(2 * jobs);
  });

  test("keys that a worker deleted before it was killed are counted by the worker that continues", async () => {
    await seedBans(redis, 1);
    await workers.at(-1)?.stop();
    const jobId = await enqueue(stack, flushOf(0));
    const found = await seededKeys(redis);
    await redis.set(`postern:{jobs}:found:${jobId}`, JSON.stringify({ cache: [], state: found }), "EX", 60);
    await redis.del(String(found[0]));
    await stack.start("jobs-worker");
    expect(await untilEnded(stack, jobId)).toMatchObject({ status: "DONE", resultCount: 2 });
    expect(await seededKeys(redis)).toEqual([]);
  });
});

function bearer(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}` };
}

async function jwtOf(username: string): Promise<string> {
  const body = { username, password: operatorPassword };
  const answer: AdminAnswer = await askAdmin(stack, "POST", "/api/v1/jwt/token", { body });
  return String(answer.body["token"]);
}
