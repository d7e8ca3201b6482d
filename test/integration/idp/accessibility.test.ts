import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PageServer, startPageServer } from "../../../tools/pages/page-server.ts";
import { axeProblems, loadAxe } from "../../support/axe.ts";
import { sharedChromium } from "../../support/chromium.ts";

let server: PageServer;
let browser: Browser;

beforeAll(async () => {
  server = await startPageServer();
  browser = await sharedChromium();
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

test("every page complies with WCAG 2.2 AA, in light and dark colours", async () => {
  await using context = await browser.newContext({ bypassCSP: true, viewport: { width: 390, height: 800 } });
  await loadAxe(context);
  const page = await context.newPage();
  await page.route("**/login/webauthn/begin*", (route) => route.abort());
  expect(server.names.length).toBeGreaterThan(20);
  const samples = server.names.map((name) => server.urlOf(name));
  for (const url of [
    ...samples,
    ...server.stateUrls("en"),
    ...server.statusUrls("en").values(),
    ...server.statusUrls("ar").values(),
    server.urlOf("home", "ar"),
    ...server.consoleUrls.values(),
  ]) {
    await page.goto(url);
    expect([url, await axeProblems(page)]).toEqual([url, []]);
  }
});

test("the check reports a page with a fault", async () => {
  await using context = await browser.newContext({ bypassCSP: true });
  const page = await context.newPage();
  await page.setContent('<html lang="en"><title>x</title><main><h1>x</h1><img src="data:,"></main></html>');
  expect((await axeProblems(page)).join()).toContain("light: image-alt");
  await page.setContent(`<html lang="en"><title>x</title><style>@media (prefers-color-scheme: dark) { p { color: #111; background: #000 } }</style>
<main><h1>x</h1><p>text</p></main></html>`);
  expect((await axeProblems(page)).join()).toMatch(/^dark: color-contrast/u);
});
