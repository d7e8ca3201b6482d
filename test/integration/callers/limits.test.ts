import { freePort, pause, poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countStatuses, type Gateway, type Gateways, startGateways } from "./gateways.ts";

const burst = 10;

let stack: Gateways;
let gateway: Gateway;

beforeAll(async () => {
  stack = await startGateways({ per_second: 1, burst });
  gateway = stack.first;
});

afterAll(() => stack[Symbol.asyncDispose]());

function statusOf(url: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  return fetch(url, { headers }).then(async (response) => {
    await response.arrayBuffer();
    return response.status;
  });
}

/** Sends the path unchanged: fetch would normalize it. */
async function rawStatus(origin: string, path: string): Promise<number> {
  const { hostname, port } = new URL(origin);
  const { request } = await import("node:http");
  return new Promise((resolve, reject) => {
    const clientRequest = request({ hostname, port, path }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    clientRequest.on("error", reject);
    clientRequest.end();
  });
}

describe("per-client limit where no API caller is authenticated (contract, Failure-budget rules, 5)", () => {
  test("every request to the front channel counts, by address", async () => {
    const from = (clientIp: string): Promise<number> =>
      statusOf(`${gateway.url}/login`, { "x-forwarded-for": clientIp });
    const statuses = await Promise.all(Array.from({ length: burst + 5 }, () => from("203.0.113.1")));
    // No identity provider runs behind the gateway in this test.
    expect(statuses.filter((status) => status === 500).length).toBeGreaterThanOrEqual(burst);
    expect(statuses).toContain(429);
    expect(await from("203.0.113.2")).toBe(500);
    expect(await gateway.metric("service_rate_limited_total")).toBeGreaterThan(0);
  });

  test("it is separate from the failure budget: the back channel stays available", async () => {
    expect((await gateway.ask("203.0.113.1")).status).toBe(200);
  });

  test("paths of operators are exempt", async () => {
    const statuses = await Promise.all(Array.from({ length: burst * 3 }, () => statusOf(`${gateway.url}/ping`)));
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test("in developer mode without auth.backchannel, requests are accepted and each counts", async () => {
    const open = await stack.start({
      SERVICE_AUTH_BACKCHANNEL_BASIC_AUTH_ENABLED: "false",
      SERVICE_RUNTIME_DEVELOPER_MODE: "true",
    });
    const statuses = await countStatuses(burst + 5, () => open.ask("203.0.113.3", ""));
    expect(statuses.get(200)).toBeGreaterThanOrEqual(burst);
    expect(statuses.get(429)).toBeGreaterThan(0);
    expect(statuses.has(401)).toBe(false);
  });
});

describe("auth.pipeline.max_concurrent_requests (ADR 0013)", () => {
  test("requests above it are temporary failures without a delay, never 429; requests are decided again afterwards", async () => {
    const narrow = await stack.start({ SERVICE_AUTH_PIPELINE_MAX_CONCURRENT_REQUESTS: "2" });
    expect((await narrow.ask("203.0.113.4")).status).toBe(200);
    await pause(stack.engine);
    let waiting: ReturnType<Gateway["ask"]>[] = [];
    try {
      waiting = [narrow.ask("203.0.113.4"), narrow.ask("203.0.113.4")];
      await poll("both requests to be in flight", async () => (await narrow.metric("service_auth_in_flight")) === 2);
      const shed = await narrow.ask("203.0.113.4");
      expect(shed.status).toBe(500);
      expect(JSON.parse(shed.body)).toEqual({ error: expect.any(String) });
      // It did not wait for the two.
      expect(await narrow.metric("service_auth_in_flight")).toBe(2);
      expect(await narrow.metric("service_concurrency_shed_total")).toBe(1);
    } finally {
      stack.engine.signal("SIGCONT");
    }
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await narrow.ask("203.0.113.4")).status).toBe(200);
    expect(await narrow.metric("service_auth_in_flight")).toBe(0);
  });
});

describe("channels on separate listeners (ADR 0024)", () => {
  test("each answers 404 to the other's paths, however they are spelled", async () => {
    const frontPort = await freePort();
    const back = await stack.start({ SERVICE_RUNTIME_SERVERS_HTTP_FRONTEND_ADDRESS: `127.0.0.1:${frontPort}` });
    const front = `http://127.0.0.1:${frontPort}`;
    expect((await back.ask("203.0.113.5")).status).toBe(200);
    expect(await rawStatus(back.url, "/ping")).toBe(200);
    expect(await rawStatus(back.url, "/api/v1/config/load")).toBe(401);
    for (const path of ["/login", "/oidc/token", "/.well-known/openid-configuration", "/saml/metadata", "/nothing"]) {
      expect([path, await rawStatus(back.url, path)]).toEqual([path, 404]);
    }
    expect(await rawStatus(front, "/login")).toBe(500);
    const foreign = ["/api/v1/config/load", "/%61pi/v1/config/load", "/api/v1/jwt/token", "/metrics"];
    const climbing = ["/oidc/../api/v1/config/load", "/oidc/%2e%2E/api/v1/oidc/sessions/x", "/login/..%2fapi/v1/x"];
    for (const path of [...foreign, ...climbing]) {
      expect([path, await rawStatus(front, path)]).toEqual([path, 404]);
    }
  });
});
