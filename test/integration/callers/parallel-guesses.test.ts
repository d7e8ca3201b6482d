import { poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askRaw } from "../../support/ask-raw.ts";
import { type CallersStack, startCallersStack } from "../../support/callers-stack.ts";

const operatorHash = "$argon2id$v=19$m=4096,t=1,p=1$4DPYSsxar2lP4jBdJ/YwHQ$fJAtmn7LhP7V/Jg2xreYwreb3Vs5tGC3o6QMGavQgjw";
const password = "demo-operator-password";
const budget = 20;
const guesses = 60;

let stack: CallersStack;

beforeAll(async () => {
  stack = await startCallersStack({
    shape: "five",
    decision: "60s",
    jwt: { users: [{ username: "operator", password: operatorHash, roles: ["admin"] }] },
  });
});

afterAll(() => stack[Symbol.asyncDispose]());

/** Sends a request as a client behind the trusted proxy; the path is sent unchanged. */
async function logIn(clientIp: string, secret: string, path = "/api/v1/jwt/token"): Promise<number> {
  const { status } = await askRaw(stack.url, {
    path,
    headers: [
      ["Content-Type", "application/json"],
      ["X-Forwarded-For", clientIp],
    ],
    body: JSON.stringify({ username: "operator", password: secret }),
  });
  return status;
}

async function metric(service: number, name: string, labels: readonly string[]): Promise<number> {
  const lines = ((await stack.services[service]?.metrics()) ?? "").split("\n");
  const found = lines.filter((line) => line.startsWith(name) && labels.every((label) => line.includes(label)));
  return found.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}

/** Passwords that admin has verified. */
const evaluated = (): Promise<number> => metric(1, "service_jwt_requests_total", ['endpoint="token"']);

const guessesInParallel = (clientIp: string, path?: string): Promise<number[]> =>
  Promise.all(Array.from({ length: guesses }, (_, index) => logIn(clientIp, `guess-${index}`, path)));

describe("sixty parallel wrong passwords from one address", () => {
  test.each([
    ["/api/v1/jwt/token", "198.51.100.1"],
    ["/api/v1/jwt/%74oken", "198.51.100.2"],
    ["/%61pi/v1/jwt/token?x=1", "198.51.100.3"],
    ["/api/v1/jwt/token#x", "198.51.100.4"],
  ])("to %s: as many are verified as the budget allows, the others are rejected with 429", async (path, clientIp) => {
    expect(await logIn(clientIp, password, path)).toBe(200);
    const before = await evaluated();
    const started = performance.now();
    const statuses = await guessesInParallel(clientIp, path);
    // The budget refills by ten a minute.
    const limit = budget + Math.ceil((performance.now() - started) / 6000);
    const compared = (await evaluated()) - before;
    expect(compared).toBeGreaterThan(0);
    expect(compared).toBeLessThanOrEqual(limit);
    expect(statuses.filter((status) => status === 401).length).toBe(compared);
    expect(statuses.filter((status) => status === 429).length).toBe(guesses - compared);
    expect(await logIn("198.51.101.1", password)).toBe(200);
  });

  test("a refilled token admits one request, however many are sent", async () => {
    const clientIp = "198.51.100.5";
    while ((await logIn(clientIp, password)) !== 429) await guessesInParallel(clientIp);
    await poll("a token to be refilled", async () => (await logIn(clientIp, password)) === 200);
    const before = await evaluated();
    const started = performance.now();
    await guessesInParallel(clientIp);
    const limit = 1 + Math.ceil((performance.now() - started) / 6000);
    expect((await evaluated()) - before).toBeLessThanOrEqual(limit);
  });
});

describe("a place among the passwords being verified", () => {
  test("is released after correct passwords, malformed requests and unknown paths", async () => {
    const clientIp = "198.51.100.6";
    for (let round = 0; round < budget + 5; round += 1) {
      expect(await logIn(clientIp, password)).toBe(200);
      expect(await logIn(clientIp, "")).toBe(400);
    }
  });

  test("is released when clients disconnect during their request", async () => {
    const clientIp = "198.51.100.7";
    const headers = { "content-type": "application/json", "x-forwarded-for": clientIp };
    for (let round = 0; round < budget + 5; round += 1) {
      const gone = new AbortController();
      const body = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode('{"username":')) });
      const init = { method: "POST", headers, body, signal: gone.signal, duplex: "half" } as const;
      const before = await metric(2, "service_password_guesses_in_flight", []);
      const request = fetch(`${stack.url}/api/v1/jwt/token`, init).catch(() => undefined);
      await poll(
        "the request to be admitted",
        async () => (await metric(2, "service_password_guesses_in_flight", [])) > before,
      );
      gone.abort();
      await request;
      await poll(
        "the request to end",
        async () => (await metric(2, "service_password_guesses_in_flight", [])) === before,
      );
    }
    expect(await logIn(clientIp, password)).toBe(200);
  });

  test("is released when the service behind the path fails", async () => {
    const clientIp = "198.51.100.8";
    await stack.services[1]?.[Symbol.asyncDispose]();
    for (let round = 0; round < budget + 5; round += 1) expect(await logIn(clientIp, "wrong")).toBe(500);
    expect(await metric(2, "service_password_guesses_in_flight", [])).toBe(0);
  });
});
