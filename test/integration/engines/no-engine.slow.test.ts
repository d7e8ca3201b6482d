import { once } from "node:events";
import { pause, poll } from "@postern/testing";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Answer, alice, askJson } from "../../support/ask-json.ts";
import { sessionId } from "../../support/dialects.ts";
import { type Replica, type Stack, startStack } from "../../support/stack.ts";

/** Longer than a test may take, so that no test passes by waiting for the deadline of a decision. */
const decisionMs = 120_000;
let stack: Stack;
let gateways: readonly Replica[];

beforeAll(async () => {
  stack = await startStack({
    shape: "five",
    engines: 2,
    settings: { runtime: { timeouts: { decision: `${decisionMs}ms` } } },
  });
  gateways = [{ url: stack.url, process: stack.gateway }, await stack.startReplica("gateway")];
  await enginesHeard(2);
});

afterAll(() => stack[Symbol.asyncDispose]());

async function enginesHeard(count: number): Promise<void> {
  for (const { process } of gateways) {
    await poll(`heartbeats of ${count} engines`, async () =>
      (await process.metrics()).includes(`service_engines_heard ${count}\n`),
    );
  }
}

function failedBySilence(metrics: string): string | undefined {
  return /failed_total\{code="ENGINE_SILENT"\} (\d+)/.exec(metrics)?.[1];
}

const login = (): Promise<Answer> => askJson(stack.url, alice);

/** The statuses of ten requests to each gateway. */
const askBoth = (): readonly Promise<number>[] =>
  gateways.flatMap(({ url }) => Array.from({ length: 10 }, async () => (await askJson(url, alice)).status));

/** How many requests each gateway has sent again. */
const resent = (): Promise<readonly number[]> =>
  Promise.all(
    gateways.map(async ({ process }) =>
      Number(/events_total\{fact="resent"\} (\d+)/.exec(await process.metrics())?.[1] ?? 0),
    ),
  );

function expectTemporaryFailure(answer: Answer): void {
  expect(answer.status).toBe(500);
  const { error } = JSON.parse(answer.body);
  expect(answer.body).toBe(JSON.stringify({ error }));
  expect(error).toMatch(/temporary/i);
  expect(answer.headers.get("auth-status")).toBe(error);
  expect(answer.headers.get("auth-user")).toBeNull();
  expect(answer.headers.get("x-service-session")).toMatch(sessionId);
}

async function back(): Promise<void> {
  await poll("a decision after the outage", async () => (await askJson(stack.url, alice)).status === 200);
}

describe("with every engine frozen (SIGSTOP)", () => {
  afterEach(async () => {
    for (const engine of stack.engines) engine.signal("SIGCONT");
    await back();
    await enginesHeard(2);
  });

  test("requests in progress and new ones are answered with 500 {error} long before their deadline, and never with 403", async () => {
    expect((await login()).status).toBe(200);
    for (const engine of stack.engines) engine.signal("SIGSTOP");
    const first = await Promise.all(Array.from({ length: 20 }, login));
    for (const answer of first) expectTemporaryFailure(answer);
    for (const answer of [await login(), await login()]) expectTemporaryFailure(answer);
    await enginesHeard(0);
    expect(await stack.gateway.metrics()).toMatch(/service_bus_requests_failed_total\{code="ENGINE_SILENT"\} [1-9]/);
  });

  test("requests are sent to an engine that resumes", async () => {
    for (const engine of stack.engines) engine.signal("SIGSTOP");
    expectTemporaryFailure(await login());
    stack.engines[0]?.signal("SIGCONT");
    await enginesHeard(1);
    // NATS still gives the frozen engine its share, and requests of one tick go to one engine together: send them one by one.
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
    await poll("a decision by the resumed engine", ask);
    // The resumed engine decided, because the other is still silent.
    expect(await stack.gateway.metrics()).toContain("service_engines_heard 1\n");
  });
});

test("a gateway that was frozen itself does not take engines for silent", async () => {
  const before = await stack.gateway.metrics();
  // Most of them are in progress when the first one is answered.
  const begun = Array.from({ length: 100 }, login);
  await Promise.race(begun);
  stack.gateway.signal("SIGSTOP");
  const frozenAt = performance.now();
  await poll("the gateway to freeze", () => performance.now() - frozenAt > 1500);
  const waiting = [...begun, ...Array.from({ length: 10 }, login)];
  stack.gateway.signal("SIGCONT");
  for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
  expect(failedBySilence(await stack.gateway.metrics())).toBe(failedBySilence(before));
});

test("a NATS server that was frozen does not make engines silent: waiting requests are decided", async () => {
  await pause(stack.nats);
  const frozenAt = performance.now();
  const waiting = askBoth();
  await poll("NATS to be frozen for long", () => performance.now() - frozenAt > 2000);
  stack.nats.signal("SIGCONT");
  for (const status of await Promise.all(waiting)) expect(status).toBe(200);
});

/**
 * Repeats a round until each gateway has sent all of its requests again and they are decided: on a busy machine, a request may come too late to
 * be interrupted, or an engine too late for it.
 */
async function decidedInARound(round: () => Promise<readonly number[]>): Promise<boolean> {
  for (let rounds = 0; rounds < 4; rounds += 1) {
    const before = await resent();
    const statuses = await round();
    const again = (await resent()).map((count, index) => count - (before[index] ?? 0));
    await back();
    await enginesHeard(2);
    if (statuses.some((status) => status !== 200 && status !== 500)) return false;
    const isResent = again.every((count) => count >= statuses.length / 2);
    if (isResent && statuses.every((status) => status === 200)) return true;
  }
  return false;
}

async function ready(status: number): Promise<void> {
  for (const { process } of gateways) {
    await poll(`gateways to report ${status}`, async () => (await process.readiness()) === status);
  }
}

/** Freezes NATS and sends it requests, of which it delivers none before it is killed. */
async function interrupted(): Promise<readonly Promise<number>[]> {
  await pause(stack.nats);
  const requests = askBoth();
  await ready(503);
  return requests;
}

async function restartNats(): Promise<void> {
  stack.nats.signal("SIGKILL");
  await once(stack.nats.process, "exit");
  await stack.startNats();
}

test("requests that NATS had not delivered when it was killed are decided as soon as it is back", async () => {
  const isDecided = await decidedInARound(async () => {
    const requests = await interrupted();
    await restartNats();
    return Promise.all(requests);
  });
  expect(isDecided).toBe(true);
});

test("gateways that are back on NATS before the engines keep old and new requests until the engines are back too", async () => {
  const isDecided = await decidedInARound(async () => {
    const old = await interrupted();
    for (const engine of stack.engines) await pause(engine);
    await restartNats();
    await ready(200);
    const fresh = askBoth();
    // A gateway that answers has received them.
    for (const { process } of gateways) await process.metrics();
    for (const engine of stack.engines) engine.signal("SIGCONT");
    return Promise.all([...old, ...fresh]);
  });
  expect(isDecided).toBe(true);
});

test.each(["SIGTERM", "SIGKILL"] as const)(
  "after %s of all engines: 500 {error}; requests are decided again when one engine is back",
  async (signal) => {
    for (const engine of stack.engines) engine.signal(signal);
    await Promise.all(stack.engines.map((engine) => engine.stop()));
    const answers = await Promise.all(Array.from({ length: 20 }, login));
    for (const answer of answers) expectTemporaryFailure(answer);
    await enginesHeard(0);
    expectTemporaryFailure(await login());
    stack.engines.length = 0;
    await stack.startEngine();
    expect((await login()).status).toBe(200);
    await stack.startEngine();
    await enginesHeard(2);
  },
);
