import { poll } from "@postern/shared/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { lookUp, startLoad } from "../../support/load.ts";
import { type Stack, startStack } from "../../support/stack.ts";

const decisionMs = 1500;
let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ engines: 2, settings: { runtime: { timeouts: { decision: `${decisionMs}ms` } } } });
});

afterAll(() => stack[Symbol.asyncDispose]());

async function decidedBy(index: number): Promise<number> {
  const text = (await stack.engines[index]?.metrics()) ?? "";
  const counts = [...text.matchAll(/^service_engine_decision_seconds_count\{[^}]*\} (\d+)/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

test("SIGTERM of one of two engines under load loses no request; a new engine takes its share", async () => {
  const load = startLoad(stack.url);
  await poll("both engines to decide", async () => (await decidedBy(0)) > 100 && (await decidedBy(1)) > 100);

  expect(await stack.engines[0]?.stop()).toBe(0);
  const after = load.answered();
  await poll("the other engine to continue", () => load.answered() > after + 500);

  await stack.startEngine();
  await poll("the new engine to decide", async () => (await decidedBy(2)) > 100);
  expect(await load.stop()).toEqual([]);
});

test("kill -9 of one of two engines turns no valid credential into FAIL, and delays requests by one deadline at most", async () => {
  const load = startLoad(stack.url);
  const before = load.answered();
  await poll("requests under load", () => load.answered() > before + 500);

  const killedAt = performance.now();
  stack.engines[1]?.signal("SIGKILL");
  await poll("the time of possible failures to pass", () => performance.now() > killedAt + decisionMs + 500);
  const [recovered, lost] = [load.answered(), load.surprises().length];
  await poll("the other engine to continue", () => load.answered() > recovered + 500);

  for (const surprise of await load.stop()) {
    expect(surprise).toMatchObject({ status: 500, detail: expect.stringContaining('"error"') });
  }
  // No failure once the deadline of the last request to the killed engine had passed.
  expect(load.surprises()).toHaveLength(lost);
  // More loops than failed requests: the remaining engine answered most.
  expect(load.surprises().length).toBeLessThanOrEqual(32);
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
