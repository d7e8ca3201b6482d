import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../../../tools/pages/chromium.ts";
import { type PageServer, startPageServer } from "../../../tools/pages/page-server.ts";
import { askAxe } from "../../support/axe.ts";
import { askDocument, askKeyboard, askLayout } from "../../support/page-rules.ts";

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

const everyUrl = (tag: string): readonly string[] => [
  ...server.names.map((name) => server.urlOf(name, tag)),
  ...server.stateUrls(tag),
];

describe.each([320, 390, 768, 1280])("%d px wide", (width) => {
  test("every page is whole on the screen in every language", async () => {
    await using context = await browser.newContext({ javaScriptEnabled: false, viewport: { width, height: 800 } });
    const page = await context.newPage();
    for (const tag of server.tags) {
      for (const url of everyUrl(tag)) {
        await page.goto(url);
        expect([url, await askLayout(page)]).toEqual([url, []]);
      }
    }
  });
});

describe.each([
  ["phone", 390],
  ["desk", 1280],
] as const)("on a %s", (_what, width) => {
  test.each(["en", "de", "ru", "ar"])("nothing breaks WCAG 2.2 AA in %s, light and dark", async (tag) => {
    await using context = await browser.newContext({ bypassCSP: true, viewport: { width, height: 800 } });
    const page = await context.newPage();
    await page.route("**/login/webauthn/begin*", (route) => route.abort());
    for (const url of everyUrl(tag)) {
      await page.goto(url);
      expect([url, await askAxe(page)]).toEqual([url, []]);
    }
  });

  test("every page is right in itself and reached by Tab, in Arabic too", async () => {
    await using context = await browser.newContext({ viewport: { width, height: 800 } });
    const page = await context.newPage();
    await page.route("**/login/webauthn/begin*", (route) => route.abort());
    for (const url of everyUrl("ar")) {
      await page.goto(url);
      const found = [...(await askDocument(page)), ...(await askKeyboard(page))];
      expect([url, found]).toEqual([url, []]);
    }
  });
});

test("text twice as large stays on a phone's screen", async () => {
  await using context = await browser.newContext({ bypassCSP: true, viewport: { width: 390, height: 800 } });
  const page = await context.newPage();
  for (const tag of ["en", "de", "ru", "ar"]) {
    for (const url of everyUrl(tag)) {
      await page.goto(url);
      await page.addStyleTag({ content: ":root{font-size:200%}" });
      // A word may be longer than half a phone is wide.
      const found = (await askLayout(page)).filter((problem) => !problem.startsWith("broken word"));
      expect([url, found]).toEqual([url, []]);
    }
  }
});
