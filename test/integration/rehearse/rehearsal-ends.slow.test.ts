import { readFileSync } from "node:fs";
import { type RehearsalRun } from "@postern/shared/contracts";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { type RecordedRun, recordRuns } from "./recorded-history.ts";

/** Many enough for a rehearsal that takes some seconds. */
const accounts = 60_000;
const path = "/api/v1/console/rehearsal";

const success = (index: number): RecordedRun => ({
  timeMs: Date.now(),
  firstMs: Date.now(),
  count: 1,
  outcome: "ok",
  channel: "mail",
  account: `user${index}@example.test`,
  username: `user${index}@example.test`,
  clientIp: `10.${index >> 8}.${index & 255}.7`,
  protocol: "imap",
  reason: "",
  rule: "",
  step: "",
  client: "",
  session: "7d3f91ac-20b4-4444-8888-000000000000",
});

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    redis: true,
    engines: 1,
    shape: "five",
    services: ["admin"],
    settings: { observability: { decision_history: { enabled: true } } },
  });
  await recordRuns(
    stack,
    Array.from({ length: accounts }, (_, index) => success(index)),
  );
}, 240_000);

afterAll(() => stack[Symbol.asyncDispose]());

const start = () => askAdmin(stack, "POST", path, { body: { configuration: readFileSync(stack.configFile, "utf8") } });

async function stateIs(state: RehearsalRun["state"]): Promise<Readonly<Record<string, unknown>>> {
  let body: Readonly<Record<string, unknown>> = {};
  await poll(
    `the state ${state}`,
    async () => {
      ({ body } = await askAdmin(stack, "GET", path));
      return body["state"] === state;
    },
    60_000,
  );
  return body;
}

async function startAndRead(): Promise<void> {
  expect((await start()).status).toBe(202);
  await poll("some of the history", async () => Number((await askAdmin(stack, "GET", path)).body["done"]) > 0);
}

test("after the engine was killed, the rehearsal is lost, and another one can be started; one that is stopped says so", async () => {
  await startAndRead();
  stack.engines.at(-1)?.signal("SIGKILL");
  expect((await askAdmin(stack, "GET", path)).body["state"]).toBe("running");
  await poll("no engine is expected back", async () => {
    const { status, body } = await start();
    expect(status).toBe(500);
    return body["error"] === "no engine that can rehearse is running: engines of an earlier version cannot";
  });
  await stateIs("lost");
  await stack.startEngine();
  await startAndRead();
  await stack.engines.at(-1)?.stop();
  expect((await stateIs("failed"))["problems"]).toEqual(["the engine was stopped"]);
});

test("without Redis, a rehearsal cannot be started, shown or cancelled, and these are temporary failures", async () => {
  await stack.startEngine();
  await stack.redis?.stop();
  const statuses = await Promise.all([start(), askAdmin(stack, "GET", path), askAdmin(stack, "DELETE", path)]);
  expect(statuses.map(({ status }) => status)).toEqual([500, 500, 500]);
  expect(statuses.map(({ body }) => body["error"])).toEqual(Array(3).fill("Temporary server problem, try again later"));
});
