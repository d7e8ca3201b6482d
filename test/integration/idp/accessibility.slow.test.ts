import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PageServer, startPageServer } from "../../../tools/pages/page-server.ts";
import { axeProblems, loadAxe } from "../../support/axe.ts";
import { sharedChromium } from "../../support/chromium.ts";
import { keyboardProblems, layoutProblems } from "../../support/page-rules.ts";

let server: PageServer;
let browser: Browser;

beforeAll(async () => {
  server = await startPageServer();
  browser = await sharedChromium();
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

/** @returns the problems of each page that has any; two pages are checked at the same time */
async function problemsAt(urls: readonly string[]): Promise<readonly (readonly [string, readonly string[]])[]> {
  const problems: (readonly [string, readonly string[]])[] = [];
  const waiting = urls.values();
  const check = async (): Promise<void> => {
    await using context = await browser.newContext({ bypassCSP: true, viewport: { width: 390, height: 800 } });
    await loadAxe(context);
    const page = await context.newPage();
    await page.route("**/login/webauthn/begin*", (route) => route.abort());
    for (const url of waiting) {
      await page.goto(url);
      const found = await axeProblems(page);
      if (found.length > 0) problems.push([url, found]);
    }
  };
  await Promise.all([check(), check()]);
  return problems;
}

// test/long/pages checks the other languages, and the pages that differ only in data.
test("every page complies with WCAG 2.2 AA, in light and dark colours", async () => {
  expect(server.names.length).toBeGreaterThan(20);
  const samples = server.names.map((name) => server.urlOf(name));
  expect(await problemsAt([...samples, server.urlOf("home", "ar")])).toEqual([]);
});

test("the public status and the console comply with WCAG 2.2 AA, in light and dark colours", async () => {
  const status = ["en", "ar"].flatMap((tag) => [...server.statusUrls(tag).values()]);
  expect(await problemsAt([...status, ...server.consoleUrls.values()])).toEqual([]);
});

test("every page fits the screen in Arabic, from right to left, without JavaScript", async () => {
  await using context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 320, height: 640 } });
  const page = await context.newPage();
  for (const name of server.names) {
    await page.goto(server.urlOf(name, "ar"));
    expect([name, await layoutProblems(page)]).toEqual([name, []]);
  }
});

test("every control of every page is reachable with Tab alone and shows its focus", async () => {
  // Observing the focus needs JavaScript, and then the passkey script requests options for a flow that a sample page does not have.
  await using context = await browser.newContext({ viewport: { width: 320, height: 640 } });
  const page = await context.newPage();
  await page.route("**/login/webauthn/begin*", (route) => route.abort());
  for (const name of server.names) {
    await page.goto(server.urlOf(name));
    expect([name, await keyboardProblems(page)]).toEqual([name, []]);
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
