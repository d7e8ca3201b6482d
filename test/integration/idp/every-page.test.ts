import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../../../tools/pages/chromium.ts";
import { type PageServer, startPageServer } from "../../../tools/pages/page-server.ts";
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

type Ask = (page: Page) => Promise<readonly string[]>;

/** Shows every page of the developer UI in turn and returns what was wrong, by page. */
async function problemsOf(tag: string, ask: Ask): Promise<readonly (readonly [string, readonly string[]])[]> {
  await using context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 320, height: 640 } });
  const page = await context.newPage();
  const violations: string[] = [];
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(server.origin) && !url.startsWith("data:")) violations.push(`loads ${url}`);
  });
  page.on("console", (message) => violations.push(message.text()));
  const problems: (readonly [string, readonly string[]])[] = [];
  for (const url of [...server.names.map((name) => server.urlOf(name, tag)), ...server.stateUrls(tag)]) {
    await page.goto(url);
    const found = [...(await ask(page)), ...violations.splice(0)];
    if (found.length > 0) problems.push([url, found]);
  }
  return problems;
}

const both: Ask = async (page) => [...(await askLayout(page)), ...(await askDocument(page))];

describe("every page, without script, 320 px wide", () => {
  test("is whole on the screen, loads nothing of anybody else, breaks no rule of its policy or its HTML", async () => {
    expect(server.names.length).toBeGreaterThan(20);
    expect(await problemsOf("en", both)).toEqual([]);
  });

  // The other languages are looked at in test/long/pages.
  test("is whole in Arabic, in the direction of the language", async () => {
    expect(await problemsOf("ar", askLayout)).toEqual([]);
  });
});

test("every page is reached part by part with Tab alone, and shows where the focus is", async () => {
  // Only a script hears of the focus; the one of passkeys asks for a sign-in that a sample does not have.
  await using context = await browser.newContext({ viewport: { width: 320, height: 640 } });
  const page = await context.newPage();
  await page.route("**/login/webauthn/begin*", (route) => route.abort());
  for (const name of server.names) {
    await page.goto(server.urlOf(name));
    expect([name, await askKeyboard(page)]).toEqual([name, []]);
  }
});

test("a page that is too wide, without labels, or without focus rings would be found", async () => {
  await using context = await browser.newContext({ viewport: { width: 320, height: 640 } });
  const page = await context.newPage();
  await page.setContent(`<html dir="ltr"><style>:focus{outline:none}</style><meta http-equiv="refresh" content="600">
<input name="password" autocomplete="off"><div style="width:400px">wide</div><div style="width:9px;word-break:break-all">word</div><button tabindex="3">x</button></html>`);
  expect(await askLayout(page)).toEqual(expect.arrayContaining(["scrolls sideways: 408 px", "broken word: word"]));
  expect(await askDocument(page)).toEqual(
    expect.arrayContaining(["password: no label", "password: off", "leaves by itself", "order of its own"]),
  );
  expect((await askKeyboard(page)).join()).toContain("focus unseen");
});
