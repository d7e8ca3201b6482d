import { encodeCbor } from "@postern/shared/platform/cbor";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import { askRaw, type RawAnswer, type RawRequest } from "../../support/ask-raw.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";
import type { Tree } from "../../support/stack-config.ts";

type Header = readonly [name: string, value: string];

interface Endpoint {
  readonly name: string;
  readonly method: "GET" | "POST";
  /** A request with this password. */
  readonly request: (password: string) => Omit<RawRequest, "path">;
  /** A malformed request for the endpoint. */
  readonly malformed: Omit<RawRequest, "path">;
  /** Statuses from the rows of the contract; 400 of the proxy dialect is an addition of Postern. */
  readonly statuses: { readonly success: number; readonly denial: number; readonly temporary: number };
  /** The key below `disabled_endpoints`. */
  readonly key: string;
  readonly denialBody: string;
}

const byStatus = { success: 200, denial: 403, temporary: 500 };
const caller: Header = ["Authorization", basicAuth];
const type = (value: string): Header => ["Content-Type", value];
const authHeaders = (password: string): readonly Header[] => [
  caller,
  ["Auth-User", alice.username],
  ["Auth-Pass", password],
  ["Auth-Protocol", "imap"],
];
const basicOf = (password: string): string =>
  `Basic ${Buffer.from(`${alice.username}:${password}`).toString("base64")}`;
const form = "application/x-www-form-urlencoded";
const formOf = (password: string): string =>
  new URLSearchParams({ username: alice.username, password, protocol: "imap" }).toString();

const withHeaders = {
  request: (password: string) => ({ headers: authHeaders(password) }),
  malformed: { headers: [caller] },
  denialBody: "null",
};

/** The contract's table "Authentication endpoints", row by row. */
const endpoints: readonly Endpoint[] = [
  {
    name: "json",
    method: "POST",
    request: (password) => ({
      headers: [caller, type("application/json")],
      body: JSON.stringify({ ...alice, password }),
    }),
    malformed: { headers: [caller, type("application/json")], body: "{" },
    statuses: byStatus,
    key: "auth_json",
    denialBody: "null",
  },
  {
    name: "cbor",
    method: "POST",
    request: (password) => ({
      headers: [caller, type("application/cbor")],
      body: encodeCbor({ ...alice, password }),
    }),
    malformed: { headers: [caller, type("application/cbor")], body: "{" },
    statuses: byStatus,
    key: "auth_cbor",
    denialBody: Buffer.of(0xf6).toString("utf8"),
  },
  { name: "header", method: "POST", ...withHeaders, statuses: byStatus, key: "auth_header" },
  {
    name: "basic",
    method: "GET",
    request: (password) => ({
      headers: [
        ["Authorization", basicOf(password)],
        ["Auth-Protocol", "http"],
      ],
    }),
    malformed: { headers: [["Auth-Protocol", "http"]] },
    statuses: byStatus,
    key: "auth_basic",
    denialBody: "null",
  },
  ...(["GET", "POST"] as const).map((method) => ({
    name: "proxy",
    method,
    ...withHeaders,
    statuses: { success: 200, denial: 200, temporary: 200 },
    key: "auth_proxy",
  })),
  {
    name: "sasl",
    method: "POST",
    request: (password) => ({ headers: [caller, type(form)], body: formOf(password) }),
    malformed: { headers: [caller, type(form)], body: "username=a" },
    statuses: byStatus,
    key: "auth_sasl",
    denialBody: "null",
  },
];

const session = /^[0-9a-f-]{36}$/;

function ask(url: string, { name, method }: Endpoint, request: Omit<RawRequest, "path">): Promise<RawAnswer> {
  return askRaw(url, { method, path: `/api/v1/auth/${name}`, ...request });
}

const upstreams = { imap: { address: "127.0.0.1", port: 10143 } };

function start(http: Tree): Promise<Stack> {
  return startStack({
    settings: { runtime: { servers: { http: { auth_basic_endpoint: true, ...http } } }, auth: { upstreams } },
  });
}

describe.each(endpoints)("$method /api/v1/auth/$name", (endpoint) => {
  test(`answers ${endpoint.statuses.success} to a success, with Auth-Status OK`, async () => {
    const answer = await ask(open.url, endpoint, endpoint.request(alice.password));
    expect(answer.status).toBe(endpoint.statuses.success);
    expect(answer.header("Auth-Status")).toBe("OK");
    expect(answer.header("X-Service-Session")).toMatch(session);
    expect(answer.header("X-Service-Memory-Cache")).toMatch(/^(Hit|Miss)$/);
  });

  test(`answers ${endpoint.statuses.denial} to a wrong password, with null`, async () => {
    const answer = await ask(open.url, endpoint, endpoint.request("wrong"));
    expect([answer.status, answer.body]).toEqual([endpoint.statuses.denial, endpoint.denialBody]);
    expect(answer.header("Auth-Status")).not.toBe("OK");
    expect(answer.header("X-Service-Session")).toMatch(session);
  });

  test("answers 400 to a malformed request", async () => {
    const answer = await ask(open.url, endpoint, endpoint.malformed);
    expect(answer.status).toBe(400);
    expect(answer.header("Auth-Status")).toBeUndefined();
    expect(answer.header("X-Service-Session")).toMatch(session);
  });

  test("answers 404 where it is disabled", async () => {
    expect((await ask(closed.url, endpoint, endpoint.request(alice.password))).status).toBe(404);
  });

  test("answers 429 to an address with an empty failure budget", async () => {
    let answer: RawAnswer | undefined;
    await expect
      .poll(async () => {
        answer = await askWithoutBudget(endpoint);
        return answer.status;
      })
      .toBe(429);
    expect(answer?.header("X-Service-Session")).toMatch(session);
  });

  test(`answers ${endpoint.statuses.temporary} while no engine can decide, with {error}`, async () => {
    const answer = await ask(alone.url, endpoint, endpoint.request(alice.password));
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
  return ask(narrow.url, endpoint, endpoint.request(alice.password));
}

const stacks = new AsyncDisposableStack();

beforeAll(async () => {
  const disabled_endpoints = Object.fromEntries(endpoints.map(({ key }) => [key, true]));
  open = stacks.use(await start({}));
  closed = stacks.use(await start({ disabled_endpoints }));
  narrow = stacks.use(await start({ rate_limit: { per_second: 1, burst: 1 } }));
  alone = stacks.use(await start({}));
  await Promise.all(alone.engines.map((engine) => engine.stop()));
});

afterAll(() => stacks.disposeAsync());
