import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { lookUp, startLoad } from "../../support/load.ts";
import { type Stack, startStack } from "../../support/stack.ts";

/** Long enough for a busy machine. */
const decisionMs = 20_000;
let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    shape: "five",
    engines: 2,
    settings: { runtime: { timeouts: { decision: `${decisionMs}ms` } } },
  });
});

afterAll(() => stack[Symbol.asyncDispose]());

async function decidedBy(index: number): Promise<number> {
  const text = (await stack.engines[index]?.metrics()) ?? "";
  const counts = [...text.matchAll(/^service_engine_decision_seconds_count\{[^}]*\} (\d+)/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

test("SIGTERM of one of two engines under load loses no request; a new engine takes its share", async () => {
  await using load = startLoad(stack.url);
  await poll("both engines to decide", async () => (await decidedBy(0)) > 100 && (await decidedBy(1)) > 100);

  expect(await stack.engines[0]?.stop()).toBe(0);
  const after = load.answered();
  await poll("the other engine to continue", () => load.answered() > after + 500);

  await stack.startEngine();
  await poll("the new engine to decide", async () => (await decidedBy(2)) > 100);
  expect(await load.stop()).toEqual([]);
});

test("kill -9 of one of two engines loses no request: its unanswered ones go to the other engine", async () => {
  await using load = startLoad(stack.url);
  const before = load.answered();
  await poll("requests under load", () => load.answered() > before + 500);
  stack.engines[1]?.signal("SIGKILL");
  const atKill = load.answered();
  await poll("the other engine to continue", () => load.answered() > atKill + 500);
  expect(await load.stop()).toEqual([]);
});

test("requests that only the killed engine had received are temporary failures, never denials", async () => {
  const loneEngine = stack.engines[2];
  loneEngine?.signal("SIGSTOP");
  const waiting = Array.from({ length: 20 }, () => askJson(stack.url, alice));
  const answers = await Promise.all(waiting);
  expect(answers.filter(({ status }) => status === 403)).toEqual([]);
  loneEngine?.signal("SIGCONT");
  await poll(
    "the engine to receive requests again",
    async () => (await askJson(stack.url, lookUp.body, lookUp)).status === 200,
  );
});
