import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import type { ConfigLoad } from "@postern/shared/contracts";
import { Secret } from "@postern/shared/platform/crypto";
import { callerAssertionHeader, createCallerSigner } from "@postern/shared/platform/http";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CaptureServer, startCaptureServer } from "../../support/capture-server.ts";
import { sessionId } from "../../support/dialects.ts";
import { sendRaw } from "../../support/raw-http.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";
import { assertionSecret } from "../../support/stack-config.ts";

let stack: Stack;
const path = "/api/v1/config/load";
const authorization = basicAuth;

const canaries = {
  runtime: { bus: { username: "postern", password: "canary-1-bus-password" } },
  storage: {
    redis: {
      password_nonce: "canary-2-password-nonce",
      encryption_secret: "canary-3-encryption-secret",
      sentinels: { password: "canary-4-sentinel" },
    },
  },
  observability: {
    metrics: { endpoint_auth: { basic: { enabled: true, username: "prometheus", password: "canary-5-metrics" } } },
  },
};

beforeAll(async () => {
  stack = await startStack({ engines: 0, redis: true, services: ["admin"], settings: canaries });
});

afterAll(() => stack[Symbol.asyncDispose]());

const load = (headers: Record<string, string> = { authorization }): Promise<Response> =>
  fetch(`${stack.url}${path}`, { headers });

function signed(secret: string, audience: "admin" | "idp", ttlSeconds = 30): Promise<string> {
  const caller = { method: "basic", scopes: [], clientIp: "127.0.0.1", session: "00000000-0000" } as const;
  return createCallerSigner({ secret: new Secret(secret), ttlSeconds })(caller, audience);
}

describe("through the gateway", () => {
  test("answers 200, the envelope, and the configuration as JSON in a string", async () => {
    const response = await load();
    expect(response.status).toBe(200);
    const body: ConfigLoad = JSON.parse(await response.text());
    expect(body).toEqual({
      session: expect.stringMatching(sessionId),
      object: "config",
      operation: "load",
      result: expect.any(String),
    });
    expect(response.headers.get("x-service-session")).toBe(body.session);
    const shown = JSON.parse(body.result);
    expect(Object.keys(shown)).toEqual(expect.arrayContaining(["runtime", "observability", "storage", "auth"]));
    expect(shown.auth.backchannel.basic_auth.username).toBe("backchannel");
  });

  test("contains no secret of the configuration, in any spelling", async () => {
    const text = await (await load()).text();
    const secrets = [...(await readFile(stack.configFile, "utf8")).matchAll(/canary-\d[\w-]+/g)];
    expect(secrets).toHaveLength(5);
    for (const secret of [...secrets.map(String), "demo-backchannel-secret", assertionSecret]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(Buffer.from(secret).toString("base64").replaceAll("=", ""));
    }
    expect(stack.gateway.output() + String(stack.services.get("admin")?.output())).not.toContain("canary-");
  });

  test.each([
    ["missing credentials", {}],
    ["wrong credentials", { authorization: "Basic YmFja2NoYW5uZWw6d3Jvbmc=" }],
  ])("401 after 300 ms with %s", async (_what, headers) => {
    const started = performance.now();
    const response = await load(headers);
    expect(performance.now() - started).toBeGreaterThanOrEqual(299);
    expect([response.status, await response.text()]).toEqual([401, ""]);
  });

  test("an assertion sent by a client has no effect, even with a valid signature", async () => {
    const assertion = await signed(assertionSecret, "admin");
    expect((await load({ [callerAssertionHeader]: assertion })).status).toBe(401);
    const other = await load({ authorization, [callerAssertionHeader]: "nonsense" });
    expect(other.status).toBe(200);
  });

  test("answers 404 when disabled by a reload", async () => {
    const admin = stack.services.get("admin");
    const servers = { http: { disabled_endpoints: { configuration: true } } };
    await stack.writeSettings({ runtime: { servers } });
    admin?.signal("SIGHUP");
    expect(await poll("the endpoint to be disabled", async () => (await load()).status === 404)).toBe(true);
    await stack.writeSettings({});
    admin?.signal("SIGHUP");
    await poll("the endpoint to be enabled again", async () => (await load()).status === 200);
  });
});

function direct(headers: Record<string, string>): Promise<Response> {
  return fetch(`${stack.adminUrl}${path}`, { headers });
}

describe("at admin's own port", () => {
  test("a valid assertion of the gateway's key is accepted", async () => {
    expect((await direct({ [callerAssertionHeader]: await signed(assertionSecret, "admin") })).status).toBe(200);
  });

  test("a missing, forged, expired or unsigned assertion, one for another audience, and Basic are rejected with 401", async () => {
    const unsigned = `${Buffer.from('{"alg":"none","typ":"postern-caller+jwt"}').toString("base64url")}.${
      (await signed(assertionSecret, "admin")).split(".")[1] ?? ""
    }.`;
    const refused: Record<string, string>[] = [
      {},
      { authorization },
      { [callerAssertionHeader]: await signed("another-secret-of-the-same-length-0000", "admin") },
      { [callerAssertionHeader]: await signed(assertionSecret, "admin", -60) },
      { [callerAssertionHeader]: await signed(assertionSecret, "idp") },
      { [callerAssertionHeader]: unsigned },
      { [callerAssertionHeader]: "" },
    ];
    for (const headers of refused) expect([headers, (await direct(headers)).status]).toEqual([headers, 401]);
  });
});

describe("requests forwarded to a service", () => {
  let seen: CaptureServer;

  beforeAll(async () => {
    await stack.services.get("admin")?.stop();
    seen = await startCaptureServer(Number(new URL(stack.adminUrl).port));
  });

  afterAll(() => seen[Symbol.asyncDispose]());

  test("carry a new assertion, and neither the API caller's credentials nor forged or hop-by-hop headers", async () => {
    const answer = await sendRaw(stack.httpPort, [
      `GET ${path}?a=b%20c HTTP/1.1\r\nHost: mail.example.test\r\nAuthorization: ${authorization}\r\n`,
      `Connection: close, X-Dropped, ${callerAssertionHeader}\r\nX-Dropped: 1\r\nX-Kept: 1\r\n`,
      `Keep-Alive: timeout=5\r\nTE: trailers\r\nUpgrade: h2c\r\nProxy-Authorization: Basic eDp5\r\nProxy-Connection: x\r\n`,
      `X-Forwarded-For: 203.0.113.1\r\nX-Forwarded-Host: evil\r\nX-Forwarded-Proto: https\r\nX-Real-IP: 203.0.113.2\r\n`,
      `Forwarded: for=203.0.113.3\r\n${callerAssertionHeader}: forged\r\n\r\n`,
    ]);
    expect(answer.status).toBe(200);
    const reached = seen.requests.at(-1);
    const headers = new Map(Object.entries(reached?.headers ?? {}));
    expect([reached?.method, reached?.url]).toEqual(["GET", `${path}?a=b%20c`]);
    expect(headers.get("x-kept")).toBe("1");
    expect(headers.get("x-forwarded-for")).toBe("203.0.113.1");
    expect(headers.get("x-forwarded-host")).toBe("mail.example.test");
    expect(String(headers.get(callerAssertionHeader)).split(".")).toHaveLength(3);
    const dropped = ["authorization", "x-dropped", "te", "upgrade", "proxy-authorization", "proxy-connection"];
    const replaced = ["x-forwarded-proto", "x-real-ip", "forwarded"];
    for (const name of [...dropped, ...replaced]) expect([name, headers.get(name)]).toEqual([name, undefined]);
  });

  test.each(["POST", "PUT", "PATCH", "DELETE"])("%s with a body of 1 MB as a stream, whole", async (method) => {
    const chunk = Buffer.alloc(200_000, method);
    const digest = createHash("sha256");
    const answer = await new Promise<[number, string]>((resolve, reject) => {
      const clientRequest = request(
        `${stack.url}/api/v1/custom/hook`,
        { method, headers: { "transfer-encoding": "chunked" } },
        (response) => {
          let text = "";
          response.on("data", (part) => {
            text += String(part);
          });
          response.once("end", () => resolve([response.statusCode ?? 0, text]));
        },
      );
      clientRequest.once("error", reject);
      for (let sent = 0; sent < 5; sent += 1) {
        digest.update(chunk);
        clientRequest.write(chunk);
      }
      clientRequest.end();
    });
    expect(answer).toEqual([200, "saw 1000000"]);
    expect(seen.requests.at(-1)).toMatchObject({ method, bodyDigest: digest.digest("hex") });
  });

  test.each([
    ["a query that looks like a path", "GET", "/api/v1/custom/x?to=/../etc", {}, ""],
    ["a query that is not percent-encoded text", "GET", "/api/v1/custom/x?to=%zz%", {}, ""],
    ["GET with a body", "GET", "/api/v1/custom/x", { "content-length": "4" }, "body"],
    [
      "GET with a chunked body",
      "GET",
      "/api/v1/custom/x",
      { "transfer-encoding": "chunked" },
      "4\r\nbody\r\n0\r\n\r\n",
    ],
    ["HEAD", "HEAD", "/api/v1/custom/x", {}, ""],
    ["OPTIONS", "OPTIONS", "/api/v1/custom/x", {}, ""],
    ["Expect: 100-continue", "POST", "/api/v1/custom/x", { expect: "100-continue", "content-length": "4" }, "body"],
    ["a body without a type", "POST", "/api/v1/custom/x", { "content-length": "4" }, "body"],
  ])("%s is forwarded", async (_what, method, url, headers, body) => {
    const lines = Object.entries({ host: "x", connection: "close", ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    const answer = await sendRaw(stack.httpPort, [`${method} ${url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`]);
    expect(answer).toMatchObject({ status: 200, text: expect.stringMatching(/^connection: close\r$/im) });
    expect(seen.requests.at(-1)).toMatchObject({ method, url });
  });

  test("a path that contains .. is rejected, not resolved", async () => {
    const before = seen.requests.length;
    for (const url of [
      "/api/v1/custom/../config/load",
      "/api/v1/custom/%2e%2e/config/load",
      "/api/v1/custom/..%2fconfig/load",
    ]) {
      const answer = await sendRaw(stack.httpPort, [`GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`]);
      expect([400, 404]).toContain(answer.status);
    }
    expect(seen.requests).toHaveLength(before);
  });
});

test("a 503 of the service is forwarded once, without a retry", async () => {
  await using busy = await startCaptureServer(Number(new URL(stack.adminUrl).port), 503);
  const response = await load();
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(busy.requests).toHaveLength(1);
});

test.each([502, 504])("a %d of a proxy in front of the service is a temporary failure", async (status) => {
  await using proxy = await startCaptureServer(Number(new URL(stack.adminUrl).port), status);
  const response = await load();
  expect([response.status, await response.json()]).toEqual([500, { error: expect.stringMatching(/temporary/i) }]);
  expect(proxy.requests).toHaveLength(1);
});

test("while admin is unavailable: 500 {error}", async () => {
  const response = await load();
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({ error: expect.stringMatching(/temporary/i) });
  expect(response.headers.get("x-service-session")).toMatch(sessionId);
});
