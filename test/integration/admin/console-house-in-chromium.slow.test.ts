import { consolePages, operation } from "@postern/shared/contracts";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { axeProblems } from "../../support/axe.ts";
import { sharedChromium } from "../../support/chromium.ts";
import { keyboardProblems, layoutProblems } from "../../support/page-rules.ts";
import { type ConsoleStack, cookieHeader, openConsole, searchLabel, startConsoleStack } from "./console-stack.ts";

let desk: ConsoleStack;
let browser: Browser;

beforeAll(async () => {
  desk = await startConsoleStack();
  browser = await sharedChromium();
  await askJson(desk.stack.url, { ...alice, client_ip: "203.0.113.9" });
});

afterAll(() => desk[Symbol.asyncDispose]());

async function searchFor(page: Page, text: string): Promise<void> {
  await page.getByLabel(searchLabel).fill(text);
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.locator(".verdict").waitFor();
}

const plain = (): Promise<BrowserContext> => browser.newContext({ locale: "en-US", javaScriptEnabled: false });
const scripted = (): Promise<BrowserContext> => browser.newContext({ locale: "en-US", bypassCSP: true });

test("an unknown path is a page, with navigation and search for operators only", async () => {
  await using context = await plain();
  const page = await openConsole(context, desk, "helen");
  for (const path of ["/console/no-such-page", "/console/a/b/c?x=1", "/console/actions/flush"]) {
    const response = await page.goto(`${desk.url}${path}`);
    expect([path, response?.status()]).toEqual([path, 404]);
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Page not found");
  }
  await searchFor(page, "203.0.113.9");
  const stranger = await fetch(`${desk.url}/console/no-such-page`);
  const text = await stranger.text();
  expect([stranger.status, text.includes("Page not found"), text.includes("<nav")]).toEqual([404, true, false]);
});

test("the operator chooses the time zone of the browser without a script; what is no zone is none", async () => {
  await using context = await plain();
  const page = await openConsole(context, desk, "hugo");
  await page.goto(`${desk.url}/console/system`);
  await page.getByRole("link", { name: "Change language and time zone" }).click();
  await page.getByLabel("Time zone").selectOption("Asia/Kolkata");
  await page.getByRole("button", { name: "Save" }).click();
  expect(new URL(page.url()).pathname).toBe("/console/system");
  expect(await page.locator("footer").innerText()).toContain("Asia/Kolkata");
  const shown = page.locator("main time").first();
  expect(await shown.innerText()).toMatch(/ GMT\+5:30$/u);
  expect(await shown.getAttribute("title")).toMatch(/just now, \d{4}-.* UTC$/u);
  const cookie = (await context.cookies(desk.url)).find(({ name }) => name === "console_zone");
  expect(cookie).toMatchObject({ value: "Asia/Kolkata", httpOnly: true, sameSite: "Strict" });
  const form = new URLSearchParams({
    csrf_token: await page.locator('input[name="csrf_token"]').first().inputValue(),
    zone: "Asia/Kolkata; Domain=example.org",
    next: "https://example.org/",
  });
  const headers = { cookie: await cookieHeader(context, desk), origin: desk.url };
  const refused = await fetch(`${desk.url}/console/preferences`, {
    method: "POST",
    headers,
    body: form,
    redirect: "manual",
  });
  expect([refused.status, refused.headers.get("location")]).toEqual([303, "/console/overview"]);
  expect(refused.headers.get("set-cookie")).toMatch(/console_language=; .*Max-Age=0.*console_zone=; .*Max-Age=0/u);
});

test("the console speaks the language of the browser, or the one that the operator chooses without a script", async () => {
  await using english = await plain();
  await openConsole(english, desk, "hugo");
  const storageState = await english.storageState();
  await using context = await browser.newContext({ locale: "de-AT", javaScriptEnabled: false, storageState });
  const page = await context.newPage();
  const language = () => page.locator("html").evaluate((root) => [root.getAttribute("lang"), root.getAttribute("dir")]);
  const response = await page.goto(`${desk.url}/console/preferences`);
  expect(await language()).toEqual(["de", "ltr"]);
  expect(response?.headers()["content-language"]).toBe("de");
  await page.locator("#language").selectOption("ar");
  await page.locator("main form button").click();
  expect(await language()).toEqual(["ar", "rtl"]);
  await page.getByRole("link", { name: "البحث" }).click();
  await page.locator("#query").fill("203.0.113.9");
  await page.locator(".find button").click();
  expect(await page.locator(".verdict").innerText()).toMatch(/[\u0600-\u06ff]/u);
  const { url } = desk;
  const unknown = await fetch(`${url}/console/no-such-page`, { headers: { "accept-language": "fr, en;q=0.5" } });
  expect(await unknown.text()).toContain('<html lang="fr" dir="ltr">');
});

test("the search understands what people paste, remembers the last ones in the session, and “/” leads to it", async () => {
  await using context = await scripted();
  const page = await openConsole(context, desk, "sam");
  await page.keyboard.press("/");
  await page.keyboard.type("Alice Example <alice+shop@example.test>");
  await page.keyboard.press("Enter");
  await page.locator(".verdict").waitFor();
  await page.getByRole("heading", { name: "Account alice@example.test" }).waitFor();
  await searchFor(page, "203.0.113.9:4711");
  expect(await page.getByLabel(searchLabel).inputValue()).toBe("203.0.113.9");
  expect(page.url()).not.toContain("203");
  const suggested = await page
    .locator("#searches option")
    .evaluateAll((all) => all.map((one) => one.getAttribute("value")));
  expect(suggested).toEqual(["203.0.113.9", "alice+shop@example.test"]);
  await page.getByRole("link", { name: "Search", exact: true }).click();
  await page.getByRole("link", { name: "alice+shop@example.test" }).click();
  await page.locator(".verdict").waitFor();
  expect(page.url()).not.toContain("alice");
  await using other = await scripted();
  const others = await openConsole(other, desk, "sam");
  expect(await others.locator("#searches").count()).toBe(0);
});

test("on a phone, a button opens the menu without a script", async () => {
  await using context = await plain();
  const page = await openConsole(context, desk, "helen");
  await page.setViewportSize({ width: 390, height: 800 });
  const system = page.getByRole("link", { name: "System", exact: true });
  expect(await system.isVisible()).toBe(false);
  await page.getByRole("button", { name: "Menu" }).click();
  expect(await layoutProblems(page)).toEqual([]);
  await system.click();
  await page.getByRole("heading", { level: 1, name: "System" }).waitFor();
});

test("every page fits phones, desks and 200 % zoom, from either side, and weighs at most 120 kB with its files", async () => {
  await using context = await scripted();
  const page = await openConsole(context, desk, "ada");
  await searchFor(page, "alice");
  const found = page.url();
  await page.getByRole("link", { name: "Second factors, app passwords" }).click();
  await page.locator(".card").first().waitFor();
  const pages = Object.values(consolePages).map(({ operation: id }) => `${desk.url}${operation(id).path}`);
  const addresses = [found, page.url(), `${desk.url}/console/preferences`, ...pages];
  for (const address of addresses) {
    const response = await page.goto(address);
    const body = (await response?.text()) ?? "";
    let weight = body.length;
    for (const [, path = ""] of body.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/gu))
      weight += (await (await fetch(`${desk.url}${path}`)).text()).length;
    expect([address, weight < 120_000]).toEqual([address, true]);
    for (const width of [320, 640, 768, 1280, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      expect([address, width, await layoutProblems(page)]).toEqual([address, width, []]);
    }
    await page.evaluate("document.documentElement.dir = 'rtl'");
    expect([address, "rtl", await layoutProblems(page)]).toEqual([address, "rtl", []]);
  }
  await page.goto(`${desk.url}/console/preferences`);
  expect(await axeProblems(page)).toEqual([]);
  expect(await keyboardProblems(page)).toEqual([]);
});
