import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Stack, startStack } from "../../support/stack.ts";
import { expectDegraded, publicStatus, startStatusStack } from "./status-stack.ts";

let stack: Stack;
let front: string;

beforeAll(async () => {
  ({ stack, front } = await startStatusStack({ services: ["idp"] }));
});

afterAll(() => stack[Symbol.asyncDispose]());

test("while sign-in works, the page says so in the language of the browser or of the path", async () => {
  await poll("the status", async () => (await publicStatus(front)).status === "works");
  expect(await publicStatus(front)).toEqual({ status: "works" });
  const page = await fetch(`${front}/status`);
  expect(page.status).toBe(200);
  expect(Object.fromEntries(page.headers)).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "cache-control": "public, max-age=5",
    vary: "Accept-Language",
    "content-security-policy": expect.stringMatching(/^default-src 'none'; style-src 'sha256-[^']+'; img-src data:;/u),
  });
  expect(await page.text()).toContain("<h1>Sign-in is working</h1>");
  const german = await fetch(`${front}/status`, { headers: { "accept-language": "de-CH" } });
  expect(await german.text()).toContain("<h1>Die Anmeldung funktioniert</h1>");
  expect(await (await fetch(`${front}/status/fr`)).text()).toContain("<h1>La connexion aux comptes fonctionne</h1>");
  for (const tag of ["FR", "fr-CA"])
    expect(await (await fetch(`${front}/status/${tag}`)).text()).toContain(
      "<h1>La connexion aux comptes fonctionne</h1>",
    );
  const fallback = await fetch(`${front}/status/xx`, { headers: { "accept-language": "de" } });
  expect(await fallback.text()).toContain("<h1>Die Anmeldung funktioniert</h1>");
  expect((await fetch(`${front}/status/x_x`)).status).toBe(404);
});

test("it belongs to the front channel, and takes only GET and HEAD", async () => {
  for (const path of ["/status", "/status.json", "/status/de"]) {
    expect((await fetch(`${stack.url}${path}`)).status).toBe(404);
    expect((await fetch(`${front}${path}`, { method: "HEAD" })).status).toBe(200);
    expect((await fetch(`${front}${path}`, { method: "POST" })).status).toBe(405);
  }
});

// test/long/outages/public-status.test.ts loses each part while it runs.
test("without the identity provider, sign-in is degraded since a time, and nothing says why", async () => {
  const startMs = Date.now();
  const started = await startStatusStack({});
  await using _stack = started.stack;
  // The first observation after the start counts alone.
  expect(await publicStatus(started.front)).toMatchObject({ status: "degraded" });
  await expectDegraded(started.front, startMs);
});

test("without the key, there is no such path", async () => {
  await using other = await startStack({ shape: "five" });
  for (const path of ["/status", "/status.json", "/status/de"])
    expect((await fetch(`${other.url}${path}`, { method: "POST" })).status).toBe(404);
});
