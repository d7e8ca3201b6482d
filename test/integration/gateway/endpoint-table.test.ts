import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import { askRaw, type RawAnswer, type RawRequest } from "../../support/ask-raw.ts";
import { caller, type Dialect, formType, loginRequest, sessionId, statusesOf } from "../../support/dialects.ts";
import { type Stack, type StackOptions, startStack } from "../../support/stack.ts";
import type { Tree } from "../../support/stack-config.ts";

interface Endpoint {
  readonly name: Dialect;
  readonly method: "GET" | "POST";
  /** A malformed request for the endpoint. Status 400 of the proxy dialect is an addition of Postern. */
  readonly malformed: Pick<RawRequest, "headers" | "body">;
  readonly statuses: ReturnType<typeof statusesOf>;
  readonly denialBody: string;
}

const type = (value: string) => ["Content-Type", value] as const;

/** The contract's table "Authentication endpoints", row by row. */
const endpoints: readonly Endpoint[] = (
  [
    { name: "json", method: "POST", malformed: { headers: [caller, type("application/json")], body: "{" } },
    { name: "cbor", method: "POST", malformed: { headers: [caller, type("application/cbor")], body: "{" } },
    { name: "header", method: "POST", malformed: { headers: [caller] } },
    { name: "basic", method: "GET", malformed: { headers: [["Auth-Protocol", "http"]] } },
    { name: "proxy", method: "GET", malformed: { headers: [caller] } },
    { name: "proxy", method: "POST", malformed: { headers: [caller] } },
    { name: "sasl", method: "POST", malformed: { headers: [caller, type(formType)], body: "username=a" } },
  ] as const
).map((row) => ({
  ...row,
  statuses: statusesOf(row.name),
  denialBody: row.name === "cbor" ? Buffer.of(0xf6).toString("utf8") : "null",
}));

function logInWith(url: string, { name, method }: Endpoint, password: string): Promise<RawAnswer> {
  return askRaw(url, { ...loginRequest(name, { password }), method });
}

const upstreams = { imap: { address: "127.0.0.1", port: 10143 } };

function start(http: Tree, shape?: StackOptions["shape"]): Promise<Stack> {
  return startStack({
    shape,
    settings: { runtime: { servers: { http: { auth_basic_endpoint: true, ...http } } }, auth: { upstreams } },
  });
}

describe.each(endpoints)("$method /api/v1/auth/$name", (endpoint) => {
  test(`answers ${endpoint.statuses.success} to a success, with Auth-Status OK`, async () => {
    const answer = await logInWith(open.url, endpoint, alice.password);
    expect(answer.status).toBe(endpoint.statuses.success);
    expect(answer.header("Auth-Status")).toBe("OK");
    expect(answer.header("X-Service-Session")).toMatch(sessionId);
    expect(answer.header("X-Service-Memory-Cache")).toMatch(/^(Hit|Miss)$/);
  });

  test(`answers ${endpoint.statuses.denial} to a wrong password, with null`, async () => {
    const answer = await logInWith(open.url, endpoint, "wrong");
    expect([answer.status, answer.body]).toEqual([endpoint.statuses.denial, endpoint.denialBody]);
    expect(answer.header("Auth-Status")).not.toBe("OK");
    expect(answer.header("X-Service-Session")).toMatch(sessionId);
  });

  test("answers 400 to a malformed request", async () => {
    const answer = await askRaw(open.url, {
      path: `/api/v1/auth/${endpoint.name}`,
      method: endpoint.method,
      ...endpoint.malformed,
    });
    expect(answer.status).toBe(400);
    expect(answer.header("Auth-Status")).toBeUndefined();
    expect(answer.header("X-Service-Session")).toMatch(sessionId);
  });

  test("answers 404 where it is disabled", async () => {
    expect((await logInWith(closed.url, endpoint, alice.password)).status).toBe(404);
  });

  test("answers 429 to an address with an empty failure budget", async () => {
    let answer: RawAnswer | undefined;
    await expect
      .poll(async () => {
        answer = await askWithoutBudget(endpoint);
        return answer.status;
      })
      .toBe(429);
    expect(answer?.header("X-Service-Session")).toMatch(sessionId);
  });

  test(`answers ${endpoint.statuses.temporary} while no engine can decide, with {error}`, async () => {
    const answer = await logInWith(alone.url, endpoint, alice.password);
    expect(answer.status).toBe(endpoint.statuses.temporary);
    expect(answer.header("Auth-Status")).toBe("Temporary server problem, try again later");
    expect(answer.body).toContain("error");
  });
});

let open: Stack;
let closed: Stack;
let narrow: Stack;
let alone: Stack;

/** After a request without credentials, which takes a token of the budget if one is left. */
async function askWithoutBudget(endpoint: Endpoint): Promise<RawAnswer> {
  await askRaw(narrow.url, { path: "/api/v1/auth/json" });
  return logInWith(narrow.url, endpoint, alice.password);
}

const stacks = new AsyncDisposableStack();

beforeAll(async () => {
  const disabled_endpoints = Object.fromEntries(endpoints.map(({ name }) => [`auth_${name}`, true]));
  open = stacks.use(await start({}));
  closed = stacks.use(await start({ disabled_endpoints }));
  narrow = stacks.use(await start({ rate_limit: { per_second: 1, burst: 1 } }));
  alone = stacks.use(await start({}, "five"));
  await Promise.all(alone.engines.map((engine) => engine.stop()));
});

afterAll(() => stacks.disposeAsync());
