import { freePort } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";

let stack: Stack;
let front: string;

beforeAll(async () => {
  const address = `127.0.0.1:${await freePort()}`;
  front = `http://${address}`;
  stack = await startStack({
    settings: {
      identity: { frontend: { enabled: true }, oidc: { issuer: "http://localhost:8080" } },
      runtime: { servers: { http: { frontend_address: [address] } } },
    },
  });
});

afterAll(() => stack[Symbol.asyncDispose]());

test("a load balancer can read a health path on the front channel, which reveals only the state", async () => {
  expect(await (await fetch(`${front}/ping`)).text()).toBe("pong");
  const health = await fetch(`${front}/healthz`);
  expect([health.status, await health.json()]).toEqual([200, { status: expect.stringMatching(/^(?:up|degraded)$/) }]);
  expect(await (await fetch(`${stack.url}/healthz`)).json()).toMatchObject({ checks: { bus: "up" } });
  expect(await (await fetch(`${stack.url}/ping`)).text()).toBe("pong");
});

const asBrowser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8", "accept-language": "de" };

test("an unknown path is a page for browsers on the front channel, and an empty answer for all others", async () => {
  for (const path of ["/nothing", "/nothing/more?x=1", `/${"x".repeat(5000)}`]) {
    const page = await fetch(`${front}${path}`, { headers: asBrowser });
    expect([path, page.status, page.headers.get("content-type")]).toEqual([path, 404, "text/html; charset=utf-8"]);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await page.text()).toMatch(/<html lang="de"[\s\S]*<h1>Seite nicht gefunden<\/h1>[\s\S]*<a href="\/">/);
    for (const other of [await fetch(`${front}${path}`), await fetch(`${stack.url}${path}`, { headers: asBrowser })]) {
      expect([path, other.status, await other.text()]).toEqual([path, 404, ""]);
    }
  }
});

test("a path below one of the back channel has the same empty answer for browsers", async () => {
  for (const path of ["/metrics", "/api/v1/config/load", "/api/v1/auth/json", "/api/v1/nothing", "/api/nothing"]) {
    const answer = await fetch(`${front}${path}`, { headers: asBrowser });
    expect([path, answer.status, await answer.text()]).toEqual([path, 404, ""]);
  }
});

test("all other paths of the back channel remain unavailable there", async () => {
  const headers = { authorization: basicAuth };
  for (const path of ["/metrics", "/api/v1/config/load", "/healthz/../metrics"]) {
    expect((await fetch(`${front}${path}`, { headers })).status).toBe(404);
  }
  expect((await fetch(`${stack.url}/metrics`, { headers })).status).toBe(200);
});
