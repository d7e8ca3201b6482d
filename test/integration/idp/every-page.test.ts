import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PageServer, startPageServer } from "../../../tools/pages/page-server.ts";
import { sharedChromium } from "../../support/chromium.ts";
import { documentProblems, keyboardProblems, layoutProblems } from "../../support/page-rules.ts";

let server: PageServer;
let browser: Browser;

beforeAll(async () => {
  server = await startPageServer();
  browser = await sharedChromium();
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

type Check = (page: Page) => Promise<readonly string[]>;

/** Opens every page of the developer UI. @returns the problems of each page that has any */
async function problemsOf(
  tag: string,
  check: Check,
  urls: Iterable<string> = server.names.map((name) => server.urlOf(name, tag)),
): Promise<readonly (readonly [string, readonly string[]])[]> {
  await using context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 320, height: 640 } });
  const page = await context.newPage();
  const violations: string[] = [];
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(server.origin) && !url.startsWith("data:")) violations.push(`loads ${url}`);
  });
  page.on("console", (message) => violations.push(message.text()));
  const problems: (readonly [string, readonly string[]])[] = [];
  for (const url of urls) {
    await page.goto(url);
    const found = [...(await check(page)), ...violations.splice(0)];
    if (found.length > 0) problems.push([url, found]);
  }
  return problems;
}

const both: Check = async (page) => [...(await layoutProblems(page)), ...(await documentProblems(page))];

describe("every page, without JavaScript, 320 px wide", () => {
  // accessibility.slow.test.ts and test/long/pages check the other languages, the keyboard, and the pages that differ only in data.
  test("fits the screen, loads nothing from other sites, complies with its content security policy, and is valid", async () => {
    expect(server.names.length).toBeGreaterThan(20);
    expect(await problemsOf("en", both)).toEqual([]);
  });

  test("the public status fits the screen, and complies with its policy", async () => {
    for (const tag of ["en", "de", "ar"]) {
      expect(await problemsOf(tag, layoutProblems, server.statusUrls(tag).values())).toEqual([]);
    }
  });
});

test.each([
  ["a phone", 320],
  ["a desk", 1280],
])("a new app password stands on one line, as a whole, on %s", async (_what, width) => {
  await using context = await browser.newContext({ javaScriptEnabled: false, viewport: { width, height: 800 } });
  const page = await context.newPage();
  for (const name of ["app_password", "mail_client_ready"]) {
    await page.goto(server.urlOf(name));
    const { lines, isWhole } = await page.locator(".whole code").evaluate((code) => {
      const range = document.createRange();
      range.selectNodeContents(code);
      return { lines: range.getClientRects().length, isWhole: code.scrollWidth <= code.clientWidth };
    });
    expect([name, lines, isWhole]).toEqual([name, 1, true]);
  }
});

test("the checks report a page that is too wide, lacks labels or lacks focus rings", async () => {
  await using context = await browser.newContext({ viewport: { width: 320, height: 640 } });
  const page = await context.newPage();
  await page.setContent(`<html dir="ltr"><style>:focus{outline:none}</style><meta http-equiv="refresh" content="600">
<input name="password" autocomplete="off"><div style="width:400px">wide</div><div style="width:9px;word-break:break-all">word</div><button tabindex="3">x</button></html>`);
  expect(await layoutProblems(page)).toEqual(expect.arrayContaining(["scrolls sideways: 408 px", "broken word: word"]));
  expect(await documentProblems(page)).toEqual(
    expect.arrayContaining(["password: no label", "password: off", "refreshes by itself", "positive tabindex"]),
  );
  expect((await keyboardProblems(page)).join()).toContain("focus unseen");
});
