import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { status } from "@grpc/grpc-js";
import { freePort, poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import { authMethod, type GrpcClient, grpcClient } from "../../support/grpc-client.ts";
import { logLineOf } from "../../support/log-lines.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";

const owned = new AsyncDisposableStack();
let stack: Stack;
let grpc: GrpcClient;
let passwordFile: string;
let settings: (callers: readonly object[]) => Readonly<Record<string, unknown>>;

const auth = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;
const credentials = {
  mx1: auth("mx1", "first-password-of-mx1"),
  finder: auth("finder", "password-of-the-finder"),
  desk: auth("desk", "password-of-the-desk-1"),
  lister: auth("lister", "password-of-the-lister"),
  policy: auth("policy", "password-of-the-policy"),
  chief: auth("chief", "password-of-the-chief-1"),
  pair: basicAuth,
} as const;
const { mx1, finder } = credentials;

beforeAll(async () => {
  const folder = owned.use(await scratchFolder()).path;
  passwordFile = join(folder, "mx1");
  await writeFile(passwordFile, "first-password-of-mx1\n");
  const address = `127.0.0.1:${await freePort()}`;
  settings = (callers) => ({
    runtime: {
      servers: {
        grpc: { authority: { enabled: true, address } },
        http: { auth_policy_endpoint: true, rate_limit: { per_second: 1, burst: 5 } },
      },
    },
    auth: { backchannel: { callers } },
  });
  stack = owned.use(await startStack({ redis: true, services: ["admin"], settings: settings(callersNow({})) }));
  grpc = owned.use(grpcClient(address));
});

afterAll(() => owned.disposeAsync());

function callersNow(ofMx1: object): readonly object[] {
  return [
    {
      name: "mx1",
      password: { file: passwordFile },
      networks: ["192.0.2.0/24"],
      operations: ["authenticate"],
      ...ofMx1,
    },
    { name: "finder", password: "password-of-the-finder", operations: ["lookup"] },
    { name: "desk", password: "password-of-the-desk-1", operations: ["bans", "loadConfiguration"] },
    { name: "lister", password: "password-of-the-lister", operations: ["list-accounts"] },
    { name: "policy", password: "password-of-the-policy", operations: ["auth-policy"] },
    { name: "chief", password: "password-of-the-chief-1" },
  ];
}

interface Asked {
  readonly status: number;
  readonly tookMs: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A request to the gateway; the loopback proxy forwards the caller's address. */
async function ask(method: string, path: string, authorization: string, from = "192.0.2.25"): Promise<Asked> {
  const started = performance.now();
  const json = { "content-type": "application/json" };
  const header = { "auth-user": alice.username, "auth-pass": alice.password, "auth-protocol": "imap" };
  const isForm = path.includes("/sasl");
  const form = { username: alice.username, password: alice.password, protocol: "imap" };
  const response = await fetch(`${stack.url}${path}`, {
    method,
    headers: {
      authorization,
      "x-forwarded-for": from,
      ...header,
      ...(isForm ? { "content-type": "application/x-www-form-urlencoded" } : json),
    },
    ...(method === "POST" && { body: isForm ? String(new URLSearchParams(form)) : JSON.stringify(alice) }),
  });
  const body = await response.text();
  const headers = Object.fromEntries(response.headers);
  return { status: response.status, tookMs: performance.now() - started, body, headers };
}

const json = "/api/v1/auth/json";

async function series(text: string): Promise<number> {
  const line = (await stack.gateway.metrics()).split("\n").find((each) => each.startsWith(`${text} `));
  if (line === undefined) throw new Error(`no series ${text}`);
  return Number(line.slice(text.length + 1));
}

describe("operations of a caller", () => {
  test.each([
    ["mx1", "POST", json, 200],
    ["mx1", "POST", `${json}?mode=no-auth`, 403],
    ["mx1", "POST", `${json}?mode=list-accounts`, 403],
    ["mx1", "POST", "/api/v1/auth/header", 200],
    ["mx1", "GET", "/api/v1/auth/proxy", 200],
    ["mx1", "POST", "/api/v1/auth/sasl", 200],
    ["mx1", "GET", "/api/v1/bruteforce/list", 403],
    ["mx1", "GET", "/api/v1/config/load", 403],
    ["mx1", "POST", "/api/v1/auth-policy?command=allow", 403],
    ["finder", "POST", `${json}?mode=no-auth`, 200],
    ["finder", "POST", json, 403],
    ["finder", "POST", "/api/v1/auth/cbor", 403],
    // These dialects take no query: the request is a password check.
    ["finder", "GET", "/api/v1/auth/proxy?mode=no-auth", 403],
    ["finder", "POST", "/api/v1/auth/sasl?mode=no-auth", 403],
    // The backend of this test lists no accounts: the caller is admitted, and there is no decision.
    ["lister", "POST", `${json}?mode=list-accounts`, 500],
    ["lister", "POST", `${json}?mode=no-auth`, 403],
    ["desk", "GET", "/api/v1/bruteforce/list", 200],
    ["desk", "GET", "/api/v1/%62ruteforce/list", 200],
    ["desk", "GET", "/api/v1/config/load", 200],
    ["desk", "GET", "/api/v1/async/jobs/none", 404],
    ["desk", "DELETE", "/api/v1/cache/flush", 403],
    ["desk", "GET", "/api/v1/oidc/sessions/alice", 403],
    ["desk", "GET", "/api/v1/custom/hello", 403],
    ["desk", "GET", "/api/v1/bruteforce/unknown", 403],
    ["desk", "POST", json, 403],
    ["policy", "GET", "/api/v1/auth-policy?command=ping", 200],
    ["policy", "POST", "/api/v1/auth-policy?command=reset", 403],
    ["desk", "GET", "/api/v1/auth-policy?command=ping", 403],
    ["chief", "POST", json, 200],
    ["chief", "GET", "/api/v1/bruteforce/list", 200],
    ["chief", "GET", "/api/v1/config/load", 200],
    ["pair", "GET", "/api/v1/bruteforce/list", 200],
  ] as const)("%s: %s %s is %i", async (name, method, path, expected) => {
    expect((await ask(method, path, credentials[name])).status).toBe(expected);
  });

  test("a 403 has no body and takes no token of the failure budget", async () => {
    const from = "192.0.2.99";
    for (let count = 0; count < 20; count += 1) {
      const { status, body } = await ask("POST", json, finder, from);
      expect([status, body]).toEqual([403, ""]);
    }
    expect((await ask("POST", json, mx1, from)).status).toBe(200);
  });
});

function shown({ status, body, headers }: Asked): readonly unknown[] {
  return [status, body, headers["www-authenticate"]];
}

describe("networks of a caller", () => {
  test("from elsewhere, correct credentials are answered as wrong ones are, after the delay", async () => {
    const foreign = await ask("POST", json, mx1, "198.51.100.1");
    const wrong = await ask("POST", json, auth("mx1", "wrong"), "198.51.100.2");
    const unknown = await ask("POST", json, auth("mx9", "wrong"), "198.51.100.3");
    expect(shown(foreign)).toEqual([401, "", 'Basic realm="postern", charset="UTF-8"']);
    for (const other of [wrong, unknown]) expect(shown(other)).toEqual(shown(foreign));
    for (const { tookMs } of [foreign, wrong, unknown]) expect(tookMs).toBeGreaterThanOrEqual(299);
    expect(await logLineOf(stack.gateway, foreign.headers["x-service-session"], "caller rejected")).toEqual(
      expect.objectContaining({ reason: "foreign_network", client_ip: "198.51.100.1" }),
    );
  });
});

test("log, metrics and audit stream name a caller, and only one that has authenticated", async () => {
  const admitted = 'service_caller_requests_total{caller="mx1",result="admitted"}';
  const denied = 'service_caller_requests_total{caller="mx1",result="operation_denied"}';
  const [admittedBefore, deniedBefore] = [await series(admitted), await series(denied)];
  const answered = await ask("POST", json, mx1);
  const refused = await ask("POST", `${json}?mode=no-auth`, mx1);
  const rejected = await ask("POST", json, auth("mx1", "wrong"), "192.0.2.40");
  expect(await series(admitted)).toBe(admittedBefore + 1);
  expect(await series(denied)).toBe(deniedBefore + 1);
  expect(await logLineOf(stack.gateway, answered.headers["x-service-session"], "decided")).toMatchObject({
    caller: "mx1",
    outcome: "ok",
  });
  const linesOf = ({ headers }: Asked): readonly object[] =>
    stack.gateway
      .output()
      .split("\n")
      .filter((line) => line.startsWith("{") && line.includes(headers["x-service-session"] ?? "none"))
      .map((line): object => JSON.parse(line));
  const [audited] = await poll("the audit record", () => {
    const records = linesOf(refused).filter((line) => Reflect.get(line, "event") === "caller.rejected");
    return records.length > 0 && records;
  });
  expect(audited).toMatchObject({ actor: "mx1", outcome: "denied", reason: "operation_denied" });
  expect(await logLineOf(stack.gateway, refused.headers["x-service-session"], "caller rejected")).not.toHaveProperty(
    "caller",
  );
  await logLineOf(stack.gateway, rejected.headers["x-service-session"], "caller rejected");
  expect(JSON.stringify(linesOf(rejected))).not.toContain("mx1");
  expect(await stack.gateway.metrics()).not.toContain("mx9");
});

describe("gRPC", () => {
  test.each([
    ["finder", "LookupIdentity", status.OK],
    ["finder", "Authenticate", status.PERMISSION_DENIED],
    ["lister", "ListAccounts", status.UNAVAILABLE],
    ["lister", "LookupIdentity", status.PERMISSION_DENIED],
    ["chief", "Authenticate", status.OK],
    // The test's own address is outside of the caller's network.
    ["mx1", "Authenticate", status.UNAUTHENTICATED],
  ] as const)("%s: %s", async (name, method, code) => {
    const authorization = credentials[name];
    const called = await grpc.call(authMethod(method), method === "ListAccounts" ? {} : alice, { authorization });
    expect(called.code).toBe(code);
    if (code === status.PERMISSION_DENIED)
      expect(called.details).toBe("the operation is not among those of the caller");
    if (code === status.UNAUTHENTICATED) expect(called.tookMs).toBeGreaterThanOrEqual(299);
  });
});

async function reload(callers: readonly object[]): Promise<void> {
  const applied = 'service_config_reloads_total{result="applied"}';
  const before = await series(applied);
  await stack.reloadGateway(settings(callers));
  await poll("the reload", async () => (await series(applied)) === before + 1);
}

async function statusOf(authorization: string, from: string): Promise<number> {
  return (await ask("POST", json, authorization, from)).status;
}

test("a rotation: both passwords are valid, then only the new one, without a restart", async () => {
  const next = auth("mx1", "next-password-of-mx1!");
  await reload(callersNow({ next_password: "next-password-of-mx1!" }));
  expect([await statusOf(mx1, "192.0.2.50"), await statusOf(next, "192.0.2.50")]).toEqual([200, 200]);
  await writeFile(passwordFile, "next-password-of-mx1!\n");
  await reload(callersNow({}));
  expect([await statusOf(mx1, "192.0.2.51"), await statusOf(next, "192.0.2.51")]).toEqual([401, 200]);
  await reload(callersNow({}).slice(1));
  expect(await statusOf(next, "192.0.2.52")).toBe(401);
  expect(await stack.gateway.metrics()).not.toContain('caller="mx1"');
  expect(stack.gateway.output()).not.toContain("password-of-mx1");
});
