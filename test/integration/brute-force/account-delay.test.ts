import { poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import type { Answer } from "../../support/ask-json.ts";
import { logLineOf } from "../../support/log-lines.ts";
import { basicAuth, type Stack } from "../../support/stack.ts";
import { type Login, login, passwordOf, startGuessedStack, userName } from "./guessed-stack.ts";

const failures = 5;
const maxDelayMs = 150;
const withoutClientMs = 400;

let stack: Stack;

beforeAll(async () => {
  stack = await startGuessedStack({
    services: ["admin"],
    delay: { failures, max_delay: `${maxDelayMs}ms`, known_networks: ["198.51.100.0/24"] },
    withoutClient: { max_delay: `${withoutClientMs}ms` },
  });
});

afterAll(() => stack[Symbol.asyncDispose]());

interface Outcome {
  readonly status: number;
  readonly heldMs: number;
  readonly tookMs: number;
  readonly line: Readonly<Record<string, unknown>>;
}

type Ask = () => Promise<Answer>;

/** Sends one request after another; resolves with each status, its duration, and how long the gateway's log says it held the answer. */
async function outcomesOf(asks: readonly Ask[]): Promise<readonly Outcome[]> {
  const outcomes: Promise<Outcome>[] = [];
  for (const ask of asks) {
    const started = performance.now();
    const { status, headers } = await ask();
    const tookMs = performance.now() - started;
    // Log lines are written in batches, so the next request does not wait for the line.
    const session = headers.get("x-service-session") ?? undefined;
    const logged = logLineOf(stack.gateway, session, "decided");
    outcomes.push(logged.then((line) => ({ status, heldMs: Number(line["held_ms"] ?? 0), tookMs, line })));
  }
  return Promise.all(outcomes);
}

async function outcomeOf(ask: Ask): Promise<Outcome> {
  const [outcome] = await outcomesOf([ask]);
  if (outcome === undefined) throw new Error("no outcome");
  return outcome;
}

const named = (attempt: Login) => outcomeOf(() => login(stack, attempt));

/** saslauthd's httpform module sends this form, without the client's address. */
const sendUnnamed =
  (user: string, password: string): Ask =>
  async () => {
    const response = await fetch(`${stack.url}/api/v1/auth/sasl`, {
      method: "POST",
      headers: { authorization: basicAuth, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({
        protocol: "smtp",
        method: "plain",
        user_agent: "saslauthd",
        username: user,
        password,
      }),
    });
    return { status: response.status, headers: response.headers, body: await response.text() };
  };

const unnamed = (user: string, password: string) => outcomeOf(sendUnnamed(user, password));

/** Distinct wrong passwords, each from a different network. */
function guessFromManyNetworks(user: string, count: number): Promise<readonly Outcome[]> {
  return outcomesOf(
    Array.from(
      { length: count },
      (_, index) => () => login(stack, { clientIp: `203.0.${index}.7`, user, password: `guess-${index}` }),
    ),
  );
}

describe("a form without a client address", () => {
  test("rejects no correct password, however many users fail through the same API caller", async () => {
    const guesses = await outcomesOf(
      Array.from({ length: 14 }, (_, index) => sendUnnamed(userName(20 + index), `guess-${index}`)),
    );
    expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([403]));
    expect(await unnamed(userName(40), passwordOf(40))).toMatchObject({ status: 200, heldMs: 0 });
    expect(await unnamed(userName(20), passwordOf(20))).toMatchObject({ status: 200, heldMs: 0 });
  });

  test("is not rejected by a ban of the API caller's own network", async () => {
    for (let index = 0; index < 10; index += 1) {
      await login(stack, { clientIp: "127.0.0.1", user: userName(50 + index), password: "wrong" });
    }
    expect((await named({ clientIp: "127.0.0.1", user: userName(41), password: passwordOf(41) })).line).toMatchObject({
      outcome: "blocked",
    });
    expect(await unnamed(userName(41), passwordOf(41))).toMatchObject({ status: 200, heldMs: 0 });
  });

  test("counts an old password that a mail client repeats once", async () => {
    const atOnce = await Promise.all(Array.from({ length: 4 }, () => unnamed(userName(42), "last year's")));
    const later = await outcomesOf(Array.from({ length: 12 }, () => sendUnnamed(userName(42), "last year's")));
    const repeated = [...atOnce, ...later];
    expect(new Set(repeated.map(({ line }) => line["account_passwords_seen"]))).toEqual(new Set([1]));
    expect(await unnamed(userName(42), passwordOf(42))).toMatchObject({ status: 200, heldMs: 0 });
  });

  test("delays the answers about a guessed account in growing steps, and accepts its correct password", async () => {
    const guesses = Array.from({ length: 2 * failures }, (_, index) => sendUnnamed(userName(43), `guess-${index}`));
    const held = (await outcomesOf(guesses)).map(({ heldMs }) => heldMs);
    const step = withoutClientMs / failures;
    expect(held.slice(0, failures - 1)).toEqual([0, 0, 0, 0]);
    expect(held.slice(failures - 1, 2 * failures - 1)).toEqual([1, 2, 3, 4, 5].map((count) => count * step));
    expect(held.at(-1)).toBe(withoutClientMs);
    const right = await unnamed(userName(43), passwordOf(43));
    expect(right).toMatchObject({ status: 200, heldMs: withoutClientMs });
    expect(right.tookMs).toBeGreaterThanOrEqual(withoutClientMs - 1);
    // Other accounts are not delayed.
    expect(await unnamed(userName(44), passwordOf(44))).toMatchObject({ status: 200, heldMs: 0 });
  });

  test("limits how many answers of one API caller are delayed at a time", async () => {
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => unnamed(userName(43), passwordOf(43))));
    expect(outcomes.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(outcomes.filter(({ heldMs }) => heldMs > 0)).toHaveLength(2);
  });
});

test("with count_network, failures without a client address count against the API caller's network", async () => {
  await using other = await startGuessedStack({ engines: 1, withoutClient: { count_network: true } });
  const ask = async (user: string, password: string): Promise<number> => {
    const response = await fetch(`${other.url}/api/v1/auth/sasl`, {
      method: "POST",
      headers: { authorization: basicAuth, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ protocol: "smtp", username: user, password }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  expect(await ask(userName(40), passwordOf(40))).toBe(200);
  for (let index = 0; index < 10; index += 1) await ask(userName(index), `guess-${index}`);
  // While Redis answers slowly, an engine counts a failure in its own memory, and the ban takes some more failures.
  let index = 10;
  await poll("the network to be banned", async () => {
    if ((await ask(userName(40), passwordOf(40))) === 403) return true;
    await ask(userName(index), `guess-${index}`);
    index += 1;
    return false;
  });
  expect(await ask(userName(40), passwordOf(40))).toBe(403);
});

describe("an account whose password is being guessed from many networks", () => {
  test("delays unknown networks, with right and wrong passwords, and never known networks", async () => {
    const user = userName(60);
    const right = { user, password: passwordOf(60) };
    expect(await named({ clientIp: "192.0.2.1", ...right })).toMatchObject({ status: 200, heldMs: 0 });
    const held = (await guessFromManyNetworks(user, 2 * failures)).map(({ heldMs }) => heldMs);
    expect(held[failures - 2]).toBe(0);
    expect(held[failures - 1]).toBe(maxDelayMs / failures);
    expect(held.at(-1)).toBe(maxDelayMs);
    // The whole /24 of the earlier sign-in is known, and so are the networks of the configuration.
    expect(await named({ clientIp: "192.0.2.200", ...right })).toMatchObject({ status: 200, heldMs: 0 });
    expect(await named({ clientIp: "198.51.100.9", ...right })).toMatchObject({ status: 200, heldMs: 0 });
    expect(await named({ clientIp: "192.0.2.200", user, password: "typo" })).toMatchObject({ status: 403, heldMs: 0 });
    const away = await named({ clientIp: "192.0.77.1", ...right });
    expect(away).toMatchObject({ status: 200, heldMs: maxDelayMs });
    expect(away.tookMs).toBeGreaterThanOrEqual(maxDelayMs - 1);
    // From now on, the network is known to the account.
    await poll("the new network to be known", async () => {
      const again = await named({ clientIp: "192.0.77.2", ...right });
      expect(again.status).toBe(200);
      return again.heldMs === 0;
    });
  });

  test("is counted by all engines together", async () => {
    const user = userName(61);
    await Promise.all(
      Array.from({ length: 2 * failures }, (_, index) =>
        login(stack, { clientIp: `203.1.${index}.7`, user, password: `guess-${index}` }),
      ),
    );
    expect(await named({ clientIp: "192.0.78.1", user, password: passwordOf(61) })).toMatchObject({
      status: 200,
      heldMs: maxDelayMs,
    });
    const pages = await Promise.all(stack.engines.map((engine) => engine.metrics()));
    expect(pages.join("\n")).toMatch(/service_brute_force_slowed_total\{source="unknown_network"\} [1-9]/u);
  });

  test("is delayed just as long if it does not exist", async () => {
    const held = (await guessFromManyNetworks("nobody@example.test", 2 * failures)).map(({ heldMs }) => heldMs);
    const ofKnown = (await guessFromManyNetworks(userName(62), 2 * failures)).map(({ heldMs }) => heldMs);
    expect(held).toEqual(ofKnown);
    expect(held.at(-1)).toBe(maxDelayMs);
  });

  test("is one account in every spelling of its name", async () => {
    const spellings = ["user67@example.test", "USER67@example.test", " user67@example.test", "ｕｓｅｒ67@example.test"];
    for (let index = 0; index < 2 * failures; index += 1) {
      const user = spellings[index % spellings.length] ?? "";
      await login(stack, { clientIp: `203.2.${index}.7`, user, password: `guess-${index}` });
    }
    expect(await named({ clientIp: "192.0.81.1", user: userName(67), password: passwordOf(67) })).toMatchObject({
      status: 200,
      heldMs: maxDelayMs,
    });
  });

  test("is answered without a delay after a flush of the account", async () => {
    const user = userName(65);
    await guessFromManyNetworks(user, 2 * failures);
    const flushed = await askAdmin(stack, "DELETE", "/api/v1/cache/flush", { body: { user } });
    expect(flushed.status).toBe(200);
    expect(JSON.stringify(flushed.body)).toContain(`bf:slowed:{${user}}`);
    expect(await named({ clientIp: "192.0.79.1", user, password: passwordOf(65) })).toMatchObject({
      status: 200,
      heldMs: 0,
    });
  });
});

test("delayed answers do not occupy the concurrency gate, and are sent when the gateway shuts down", async () => {
  const maxConcurrentRequests = 4;
  const known = "198.51.100.0/24";
  // Longer than the rest of the test; a gateway that shuts down answers immediately.
  await using patient = await startGuessedStack({
    engines: 1,
    delay: { failures, max_delay: "8s", known_networks: [known] },
    maxConcurrentRequests,
  });
  const user = userName(63);
  for (let index = 0; index < 2 * failures - 1; index += 1) {
    await login(patient, { clientIp: "198.51.100.7", user, password: `guess-${index}` });
  }
  const answers: Promise<Answer>[] = [];
  const held = (): number => patient.gateway.output().split('"held_ms":').length - 1;
  for (let index = 0; index < maxConcurrentRequests; index += 1) {
    answers.push(login(patient, { clientIp: `192.0.${100 + index}.1`, user, password: passwordOf(63) }));
    await poll("the answer to be held", () => held() > index);
  }
  const other = await login(patient, { clientIp: "192.0.90.1", user: userName(64), password: passwordOf(64) });
  await patient.gateway.stop();
  expect(other.status).toBe(200);
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});

describe("while Redis is unavailable", () => {
  test("no answer is delayed and no correct password is rejected", async () => {
    const user = userName(66);
    await guessFromManyNetworks(user, 2 * failures);
    stack.redis?.signal("SIGKILL");
    await stack.redis?.stop();
    await poll("both engines to decide without Redis", async () => {
      const outcomes = await Promise.all([1, 2, 3, 4].map(() => unnamed(user, passwordOf(66))));
      expect(outcomes.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      return outcomes.every(({ heldMs }) => heldMs === 0);
    });
    expect(await named({ clientIp: "192.0.80.1", user, password: passwordOf(66) })).toMatchObject({
      status: 200,
      heldMs: 0,
    });
  });
});
