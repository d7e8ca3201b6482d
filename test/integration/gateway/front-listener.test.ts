import { freePort } from "@postern/shared/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";

let stack: Stack;
let front: string;

beforeAll(async () => {
  const address = `127.0.0.1:${await freePort()}`;
  front = `http://${address}`;
  stack = await startStack({ settings: { runtime: { servers: { http: { frontend_address: [address] } } } } });
});

afterAll(() => stack[Symbol.asyncDispose]());

test("a load balancer can read a health path on the front channel, which reveals only the state", async () => {
  expect(await (await fetch(`${front}/ping`)).text()).toBe("pong");
  const health = await fetch(`${front}/healthz`);
  expect([health.status, await health.json()]).toEqual([200, { status: expect.stringMatching(/^(?:up|degraded)$/) }]);
  expect(await (await fetch(`${stack.url}/healthz`)).json()).toMatchObject({ checks: { bus: "up" } });
  expect(await (await fetch(`${stack.url}/ping`)).text()).toBe("pong");
});

test("all other paths of the back channel remain unavailable there", async () => {
  const headers = { authorization: basicAuth };
  for (const path of ["/metrics", "/api/v1/config/load", "/healthz/../metrics"]) {
    expect((await fetch(`${front}${path}`, { headers })).status).toBe(404);
  }
  expect((await fetch(`${stack.url}/metrics`, { headers })).status).toBe(200);
});
