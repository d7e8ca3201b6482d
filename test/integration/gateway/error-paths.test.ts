import { operations } from "@postern/shared/contracts";
import { Secret } from "@postern/shared/platform/crypto";
import { callerAssertionHeader, createCallerSigner, routeOf } from "@postern/shared/platform/http";
import { freePort } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";
import { assertionSecret } from "../../support/stack-config.ts";
import { askRaw, type RawAnswer, type RawRequest, requestOf } from "./raw-answers.ts";

let stack: Stack;
let frontPort: number;
let backPort: number;
const assertions = { admin: "", idp: "" };

beforeAll(async () => {
  const httpPort = await freePort();
  stack = await startStack({
    shape: "five",
    redis: true,
    httpPort,
    services: ["idp", "admin", "jobs-worker"],
    settings: {
      runtime: { servers: { http: { rate_limit: { per_second: 10_000, burst: 10_000 } } } },
      identity: { frontend: { enabled: true }, oidc: { enabled: true, issuer: `http://127.0.0.1:${httpPort}` } },
    },
  });
  frontPort = await freePort();
  const front = { SERVICE_RUNTIME_SERVERS_HTTP_FRONTEND_ADDRESS: `127.0.0.1:${frontPort}` };
  const twoListeners = await stack.startReplica("gateway", front);
  backPort = Number(new URL(twoListeners.url).port);
  const caller = { method: "basic", scopes: [], clientIp: "127.0.0.1", session: "test-session" } as const;
  const sign = createCallerSigner({ secret: new Secret(assertionSecret), ttlSeconds: 300 });
  assertions.admin = await sign(caller, "admin");
  assertions.idp = await sign(caller, "idp");
});

afterAll(() => stack[Symbol.asyncDispose]());

type Listener = "gateway" | "admin" | "idp" | "private" | "front" | "back";

function portOf(listener: Listener): number {
  const ports = {
    gateway: stack.httpPort,
    admin: Number(new URL(stack.adminUrl).port),
    idp: Number(new URL(stack.idpUrl).port),
    private: stack.services.get("idp")?.privatePort ?? 0,
    front: frontPort,
    back: backPort,
  };
  return ports[listener];
}

function ask(listener: Listener, request: RawRequest): Promise<RawAnswer> {
  const assertion = listener === "admin" || listener === "idp" ? { [callerAssertionHeader]: assertions[listener] } : {};
  const headers = { authorization: basicAuth, ...assertion, ...request.headers };
  return askRaw(portOf(listener), requestOf({ ...request, headers }));
}

/** `{"error": …}` and nothing else, or no body; never an error message of the framework. */
function expectOurShape({ status, headers, body }: RawAnswer): void {
  expect([status, headers["x-service-session"]]).toEqual([status, expect.stringMatching(/^[\w-]{8,64}$/)]);
  expect(body).not.toMatch(/FST_|statusCode|"code"|Bad Request|Not Found/);
  if (body === "") return;
  expect(headers["content-type"]).toMatch(/^application\/json/);
  expect(Object.keys(JSON.parse(body)).toSorted()[0]).toBe("error");
}

const serving = ["gateway", "admin", "idp", "front", "back"] as const;

describe.each(serving)("paths that no route of %s serves are answered in Postern's own format", (listener) => {
  test.each([
    ["an unknown path", { path: "/nowhere" }, 404],
    ["an invalid percent-encoding", { path: "/nowhere/%zz" }, 400],
    ["a long unknown path", { path: `/nowhere/${"x".repeat(20_000)}` }, 404],
  ] as const)("%s", async (_what, request, status) => {
    const answer = await ask(listener, request);
    expect(answer.status).toBe(status);
    expectOurShape(answer);
  });

  test.each([
    ["no HTTP at all", "hello\r\n\r\n", 400],
    ["an unknown method", "BREW / HTTP/1.1\r\nHost: x\r\n\r\n", 400],
    ["a broken header", "GET / HTTP/1.1\r\nHost: x\r\nX-Bad : 1\r\n\r\n", 400],
    ["headers above the limit", `GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${"x".repeat(60_000)}\r\n\r\n`, 431],
  ] as const)("%s", async (_what, bytes, status) => {
    const answer = await askRaw(portOf(listener), bytes);
    expect(answer.status).toBe(status);
    expectOurShape(answer);
    expect(answer.body).toMatch(/^\{"error":"[a-z A-Z]+"\}$/);
  });
});

test("private listeners answer unknown paths in Postern's own format", async () => {
  for (const bytes of ["hello\r\n\r\n", `GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${"x".repeat(60_000)}\r\n\r\n`]) {
    const answer = await askRaw(portOf("private"), bytes);
    expectOurShape(answer);
    expect([400, 431]).toContain(answer.status);
  }
  const unknown = await ask("private", { path: "/nowhere" });
  expect([unknown.status, unknown.body]).toEqual([404, '{"error":"not found"}']);
});

describe("health paths answer HEAD with 200 and no body", () => {
  test.each(["/ping", "/healthz", "/metrics"])("%s of the gateway", async (path) => {
    for (const listener of ["gateway", "back"] as const) {
      const answer = await ask(listener, { method: "HEAD", path });
      expect([listener, answer.status, answer.body]).toEqual([listener, 200, ""]);
    }
  });

  test.each(["/healthz", "/readyz", "/metrics"])("%s of each private listener", async (path) => {
    const services = [stack.gateway, ...stack.engines, ...stack.services.values()];
    expect(services.length).toBeGreaterThanOrEqual(5);
    for (const { privatePort } of services) {
      const answer = await askRaw(privatePort, requestOf({ method: "HEAD", path }));
      expect([answer.status, answer.body]).toEqual([200, ""]);
      const wrong = await askRaw(privatePort, requestOf({ method: "POST", path, body: "" }));
      expect([wrong.status, wrong.headers["allow"]]).toEqual([405, "GET, HEAD"]);
    }
  });
});

describe("a method that a path does not allow is answered with 405 and Allow", () => {
  test.each([
    ["gateway", "GET", "/api/v1/auth/json", "POST"],
    ["gateway", "HEAD", "/api/v1/auth/cbor", "POST"],
    ["gateway", "DELETE", "/api/v1/auth/proxy", "GET, POST"],
    ["gateway", "POST", "/healthz", "GET, HEAD"],
    ["gateway", "POST", "/api/v1/config/load", "GET, HEAD"],
    ["gateway", "PUT", "/api/v1/jwt/token", "POST"],
    ["gateway", "GET", "/api/v1/cache/flush", "DELETE"],
    ["gateway", "PUT", "/api/v1/oidc/sessions/alice", "GET, HEAD, DELETE"],
    ["gateway", "DELETE", "/login", "GET, HEAD, POST"],
    ["gateway", "DELETE", "/oidc/jwks", "GET, HEAD, OPTIONS"],
    ["gateway", "TRACE", "/api/v1/auth/json", "POST"],
    ["back", "GET", "/api/v1/auth/json", "POST"],
    ["front", "DELETE", "/login", "GET, HEAD, POST"],
    ["admin", "POST", "/api/v1/config/load", "GET, HEAD"],
    ["idp", "PUT", "/oidc/introspect", "POST"],
  ] as const)("%s: %s %s", async (listener, method, path, allow) => {
    const answer = await ask(listener, { method, path });
    expect([answer.status, answer.headers["allow"]]).toEqual([405, allow]);
    expectOurShape(answer);
  });

  test.each([
    ["front", "/api/v1/auth/json"],
    ["front", "/api/v1/config/load"],
    ["back", "/login"],
  ] as const)("but %s answers 404 to the other channel's %s", async (listener, path) => {
    for (const method of ["GET", "PUT", "PROPFIND"]) expect((await ask(listener, { method, path })).status).toBe(404);
  });
});

describe("parameters of paths may be as long as their operation allows", () => {
  const name = `${"x".repeat(240)}@example.test`;

  test("sessions of a user with a long name can be listed and ended", async () => {
    for (const listener of ["gateway", "idp"] as const) {
      const path = `/api/v1/oidc/sessions/${encodeURIComponent(name)}`;
      expect((await ask(listener, { path })).status).toBe(200);
      expect((await ask(listener, { method: "DELETE", path })).status).toBe(204);
      expect((await ask(listener, { method: "DELETE", path: `${path}/${"t".repeat(300)}` })).status).not.toBe(414);
    }
  });

  test("a parameter above the limit is rejected with the name of the field", async () => {
    const answer = await ask("gateway", { path: `/api/v1/oidc/sessions/${"x".repeat(1025)}` });
    expect(answer.status).toBe(400);
    expectOurShape(answer);
    expect(answer.body).toContain("user_id");
  });

  test("a passkey with a long identifier is handled like one with a short identifier", async () => {
    for (const id of ["a".repeat(20), "a".repeat(1364)]) {
      for (const path of [`/mfa/webauthn/device/${id}`, `/api/v1/mfa/webauthn/${id}`]) {
        expect((await ask("gateway", { method: "DELETE", path, headers: { authorization: "" } })).status).toBe(401);
      }
    }
  });

  test("an unknown job is answered with 404, however long its identifier is", async () => {
    for (const id of ["1", "x".repeat(101), "x".repeat(5000)]) {
      const answer = await ask("gateway", { path: `/api/v1/async/jobs/${id}` });
      expect([answer.status, answer.body]).toEqual([404, '{"error":"unknown job"}']);
    }
  });
});

describe("bodies that no route can read are answered in Postern's own format", () => {
  const json = { "content-type": "application/json" };

  test.each([
    ["admin", "bad JSON", { headers: json, body: "{" }, 400],
    ["admin", "a type that it does not read", { headers: { "content-type": "text/csv" }, body: "a" }, 400],
    ["admin", "more than it takes", { headers: json, body: " ".repeat(2_000_000) }, 400],
    ["gateway", "bad JSON", { headers: json, body: "{" }, 400],
    ["gateway", "a type that it does not read", { headers: { "content-type": "text/csv" }, body: "a" }, 400],
    ["gateway", "more than it takes", { headers: json, body: " ".repeat(2_000_000) }, 400],
  ] as const)("%s: %s", async (listener, _what, { headers, body }, status) => {
    const path = "/api/v1/cache/flush";
    const answer = await ask(listener, { method: "DELETE", path, headers, body });
    expect([status, 413, 415]).toContain(answer.status);
    expectOurShape(answer);
  });

  test("DELETE without a body is answered alike with and without a Content-Type, where no body is expected", async () => {
    const path = "/api/v1/oidc/sessions/alice";
    for (const headers of [json, {}]) {
      for (const listener of ["gateway", "idp"] as const) {
        const answer: RawAnswer = await ask(listener, { method: "DELETE", path, headers });
        expect(answer.status).toBe(204);
        expect((await ask(listener, { method: "DELETE", path, headers, body: "" })).status).toBe(204);
      }
    }
  });
});

const everyListener = [...serving, "private"] as const;

describe.each(everyListener)("request targets at %s", (listener) => {
  test.each([
    ["OPTIONS * HTTP/1.1", "x", [400]],
    ["GET * HTTP/1.1", "x", [400]],
    ["GET *x HTTP/1.1", "x", [400]],
    ["GET http://other.example.test/nowhere HTTP/1.1", "x", [400]],
    ["GET http://user@x/nowhere HTTP/1.1", "x", [400]],
    ["GET ftp://x/nowhere HTTP/1.1", "x", [400]],
    ["GET http:///nowhere HTTP/1.1", "x", [400]],
    ["GET x:80 HTTP/1.1", "x", [400]],
    ["CONNECT x:80 HTTP/1.1", "x:80", [400]],
    ["GET nowhere HTTP/1.1", "x", [400]],
    ["GET //x/nowhere HTTP/1.1", "x", [404]],
    ["GET http://x/nowhere HTTP/1.1", "x", [404]],
    ["GET HTTP://X:80/nowhere?a=b HTTP/1.1", "x", [404]],
    ["GET https://x/nowhere HTTP/1.1", "x:443", [404]],
    ["GET http://x/nowhere/%zz HTTP/1.1", "x", listener === "private" ? [400, 404] : [400]],
  ] as const)("%s with the host %s", async (line, host, statuses) => {
    const assertion = listener === "admin" || listener === "idp" ? assertions[listener] : "";
    const headers = `Host: ${host}\r\nConnection: close\r\n${callerAssertionHeader}: ${assertion}`;
    const answer = await askRaw(portOf(listener), `${line}\r\n${headers}\r\n\r\n`);
    expect(statuses).toContain(answer.status);
    if (listener !== "private") expectOurShape(answer);
    else expect(answer.body).toMatch(/^\{"error":"[a-z A-Z]+"\}$/);
  });
});

test.each([
  ["gateway", "/healthz"],
  ["gateway", "/login"],
  ["gateway", "/api/v1/bruteforce/list?limit"],
  ["gateway", "/.well-known/openid-configuration"],
  ["front", "/logged_out"],
  ["back", "/api/v1/openapi.json"],
  ["admin", "/api/v1/openapi.json"],
  ["idp", "/oidc/jwks"],
  ["private", "/readyz"],
] as const)("an absolute target at %s is answered like its path %s", async (listener, path) => {
  const own = await ask(listener, { path });
  for (const target of [`http://x${path}`, `HTTP://X:80${path}`, `https://x:80${path}`]) {
    const answer = await ask(listener, { path: target });
    expect([target, answer.status]).toEqual([target, own.status]);
    if (own.status === 200) expect(answer.body.length).toBe(own.body.length);
  }
});

test("no request target is logged as a failure", () => {
  for (const service of [stack.gateway, ...stack.services.values()]) {
    expect(service.output()).not.toMatch(/"level":"error"|\n {4}at /u);
  }
});

describe("methods that no operation has are answered with 405, and Allow lists those that the path serves", () => {
  const paths = new Map<string, Set<string>>();
  for (const operation of operations) {
    if (operation.family.channel === "console" || operation.takesRest === true) continue;
    const { method, url } = routeOf(operation);
    const path = url.replaceAll(/:\w+/gu, "x");
    const methods = paths.get(path) ?? new Set<string>();
    paths.set(path, methods.add(method));
  }

  const tried = ["QUERY", "PROPFIND", "TRACE"] as const;
  const types = [{}, { "content-type": "application/json" }] as const;

  // Each path gets one of the methods, with or without a type; together they get all pairs.
  const turns = [...paths].map(([path, methods], index) => [path, methods, index] as const);
  test.each(turns)("%s", async (path, methods, index) => {
    const [method = "TRACE", headers = {}] = [tried[index % tried.length], types[index % types.length]];
    const answer = await ask("gateway", { method, path, headers, ...(method !== "TRACE" && { body: "x" }) });
    if (answer.status === 404) return;
    expect([method, answer.status]).toEqual([method, 405]);
    const allowed = new Set(answer.headers["allow"]?.split(", "));
    expect([...allowed].filter((one) => one !== "HEAD" && one !== "OPTIONS").toSorted()).toEqual(
      [...methods].toSorted(),
    );
  });
});
