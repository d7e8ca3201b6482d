import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../../../tools/pages/chromium.ts";
import { type PageServer, startPageServer } from "../../../tools/pages/page-server.ts";
import { axeProblems, loadAxe } from "../../support/axe.ts";
import { documentProblems, keyboardProblems, layoutProblems } from "../../support/page-rules.ts";

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

const idpUrls = (tag: string): readonly string[] => [
  ...server.names.map((name) => server.urlOf(name, tag)),
  ...server.stateUrls(tag),
];
const everyUrl = (tag: string): readonly string[] => [...idpUrls(tag), ...server.statusUrls(tag).values()];

describe.each([320, 390, 768, 1280])("%d px wide", (width) => {
  test("every page fits the screen in every language", async () => {
    await using context = await browser.newContext({ javaScriptEnabled: false, viewport: { width, height: 800 } });
    const page = await context.newPage();
    for (const tag of server.tags) {
      for (const url of everyUrl(tag)) {
        await page.goto(url);
        expect([url, await layoutProblems(page)]).toEqual([url, []]);
      }
    }
  });
});

describe.each([
  ["phone", 390],
  ["desktop", 1280],
] as const)("on a %s", (_what, width) => {
  test.each(["en", "de", "ru", "ar"])(
    "every page complies with WCAG 2.2 AA in %s, in light and dark colours",
    async (tag) => {
      await using context = await browser.newContext({ bypassCSP: true, viewport: { width, height: 800 } });
      await loadAxe(context);
      const page = await context.newPage();
      await page.route("**/login/webauthn/begin*", (route) => route.abort());
      for (const url of everyUrl(tag)) {
        await page.goto(url);
        expect([url, await axeProblems(page)]).toEqual([url, []]);
      }
    },
  );

  test("every page in Arabic has valid HTML and is usable with Tab alone", async () => {
    await using context = await browser.newContext({ viewport: { width, height: 800 } });
    const page = await context.newPage();
    await page.route("**/login/webauthn/begin*", (route) => route.abort());
    for (const url of idpUrls("ar")) {
      await page.goto(url);
      const found = [...(await documentProblems(page)), ...(await keyboardProblems(page))];
      expect([url, found]).toEqual([url, []]);
    }
    // The public status has its style inside, because nothing else of the identity provider may be needed to show it, and no header or footer.
    for (const url of server.statusUrls("ar").values()) {
      await page.goto(url);
      expect([url, await keyboardProblems(page)]).toEqual([url, []]);
    }
  });
});

test("every page that differs only in data has valid HTML", async () => {
  await using context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 320, height: 640 } });
  const page = await context.newPage();
  for (const url of server.stateUrls("en")) {
    await page.goto(url);
    expect([url, await documentProblems(page)]).toEqual([url, []]);
  }
});

test("text of twice the size fits a phone's screen", async () => {
  await using context = await browser.newContext({ bypassCSP: true, viewport: { width: 390, height: 800 } });
  const page = await context.newPage();
  for (const tag of ["en", "de", "ru", "ar"]) {
    for (const url of everyUrl(tag)) {
      await page.goto(url);
      await page.addStyleTag({ content: ":root{font-size:200%}" });
      // At this size a word may be wider than the screen.
      const found = (await layoutProblems(page)).filter((problem) => !problem.startsWith("broken word"));
      expect([url, found]).toEqual([url, []]);
    }
  }
});
