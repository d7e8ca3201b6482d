import { poll } from "@postern/shared/testing";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Answer, alice, askJson } from "../../support/ask-json.ts";
import { type Stack, startStack } from "../../support/stack.ts";

/** Longer than the second that the decision may take: a test that passes by the deadline alone would be none. */
const decisionMs = 8000;
let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ engines: 2, settings: { runtime: { timeouts: { decision: `${decisionMs}ms` } } } });
  await enginesHeard(2);
});

afterAll(() => stack[Symbol.asyncDispose]());

function enginesHeard(count: number): Promise<true> {
  return poll(`${count} engines to be heard`, async () =>
    (await stack.gateway.metrics()).includes(`service_engines_heard ${count}\n`),
  );
}

function failedBySilence(metrics: string): string | undefined {
  return /failed_total\{code="ENGINE_SILENT"\} (\d+)/.exec(metrics)?.[1];
}

async function timed(): Promise<Answer & { readonly tookMs: number }> {
  const started = performance.now();
  const answer = await askJson(stack.url, alice);
  return { ...answer, tookMs: performance.now() - started };
}

function expectTemporaryFailure(answer: Answer & { readonly tookMs: number }): void {
  expect(answer.status).toBe(500);
  const { error } = JSON.parse(answer.body);
  expect(answer.body).toBe(JSON.stringify({ error }));
  expect(error).toMatch(/temporary/i);
  expect(answer.headers.get("auth-status")).toBe(error);
  expect(answer.headers.get("auth-user")).toBeNull();
  expect(answer.headers.get("x-service-session")).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer.tookMs).toBeLessThan(1000);
}

async function back(): Promise<void> {
  await poll("a decision again", async () => (await askJson(stack.url, alice)).status === 200);
}

describe("with every engine frozen (SIGSTOP)", () => {
  afterEach(async () => {
    for (const engine of stack.engines) engine.signal("SIGCONT");
    await back();
    await enginesHeard(2);
  });

  test("requests under way and new ones are 500 {error} within a second, and never 403", async () => {
    expect((await timed()).status).toBe(200);
    for (const engine of stack.engines) engine.signal("SIGSTOP");
    const first = await Promise.all(Array.from({ length: 20 }, timed));
    for (const answer of first) expectTemporaryFailure(answer);
    for (const answer of [await timed(), await timed()]) expectTemporaryFailure(answer);
    await enginesHeard(0);
    expect(await stack.gateway.metrics()).toMatch(/service_bus_requests_failed_total\{code="ENGINE_SILENT"\} [1-9]/);
  });

  test("one that thaws is asked at once", async () => {
    for (const engine of stack.engines) engine.signal("SIGSTOP");
    expectTemporaryFailure(await timed());
    stack.engines[0]?.signal("SIGCONT");
    const thawedAt = performance.now();
    await poll("one engine to be heard", async () =>
      (await stack.gateway.metrics()).includes("service_engines_heard 1\n"),
    );
    expect(performance.now() - thawedAt).toBeLessThan(1500);
    // NATS still gives the frozen one its share, and one tick's requests go to one engine together: ask apart.
    let decided = false;
    const ask = (): boolean => {
      askJson(stack.url, alice).then(
        ({ status }) => {
          decided ||= status === 200;
        },
        () => undefined,
      );
      return decided;
    };
    await poll("a decision by the one that thawed", ask, 3000);
  });
});

test("a gateway that was frozen itself takes nobody for silent", async () => {
  const before = await stack.gateway.metrics();
  stack.gateway.signal("SIGSTOP");
  const frozenAt = performance.now();
  await poll("the freeze", () => performance.now() - frozenAt > 1500);
  const waiting = Array.from({ length: 10 }, timed);
  stack.gateway.signal("SIGCONT");
  for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
  expect(failedBySilence(await stack.gateway.metrics())).toBe(failedBySilence(before));
});

test("a NATS that was frozen for a while makes nobody silent: what waited is decided", async () => {
  stack.nats.signal("SIGSTOP");
  const frozenAt = performance.now();
  const waiting = Array.from({ length: 10 }, timed);
  await poll("the freeze", () => performance.now() - frozenAt > 2000);
  stack.nats.signal("SIGCONT");
  for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
});

test.each(["SIGTERM", "SIGKILL"] as const)(
  "after %s of all: 500 {error} at once; back when one comes back",
  async (signal) => {
    for (const engine of stack.engines) engine.signal(signal);
    await Promise.all(stack.engines.map((engine) => engine.stop()));
    const answers = await Promise.all(Array.from({ length: 20 }, timed));
    for (const answer of answers) expectTemporaryFailure(answer);
    await enginesHeard(0);
    expectTemporaryFailure(await timed());
    stack.engines.length = 0;
    await stack.startEngine();
    expect((await timed()).status).toBe(200);
  },
);
