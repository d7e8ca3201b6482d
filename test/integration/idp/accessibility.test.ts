import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium } from "../../../tools/pages/chromium.ts";
import { type PageServer, startPageServer } from "../../../tools/pages/page-server.ts";
import { askAxe } from "../../support/axe.ts";

let server: PageServer;
let browser: Browser;

beforeAll(async () => {
  server = await startPageServer();
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
});

test("no rule of WCAG 2.2 AA is broken on any page, light and dark", { timeout: 120_000 }, async () => {
  await using context = await browser.newContext({ bypassCSP: true, viewport: { width: 390, height: 800 } });
  const page = await context.newPage();
  await page.route("**/login/webauthn/begin*", (route) => route.abort());
  expect(server.names.length).toBeGreaterThan(20);
  const samples = server.names.map((name) => server.urlOf(name));
  for (const url of [...samples, ...server.stateUrls("en"), server.urlOf("home", "ar")]) {
    await page.goto(url);
    expect([url, await askAxe(page)]).toEqual([url, []]);
  }
});

test("a page with a fault is found", async () => {
  await using context = await browser.newContext({ bypassCSP: true });
  const page = await context.newPage();
  await page.setContent('<html lang="en"><title>x</title><main><h1>x</h1><img src="data:,"></main></html>');
  expect((await askAxe(page)).join()).toContain("light: image-alt");
});
