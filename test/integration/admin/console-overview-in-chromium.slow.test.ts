import { poll } from "@postern/testing";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { axeProblems } from "../../support/axe.ts";
import { sharedChromium } from "../../support/chromium.ts";
import { keyboardProblems, layoutProblems } from "../../support/page-rules.ts";
import { type ConsoleStack, openConsole, searchLabel, startConsoleStack } from "./console-stack.ts";

let desk: ConsoleStack;
let browser: Browser;

beforeAll(async () => {
  desk = await startConsoleStack();
  browser = await sharedChromium();
});

afterAll(() => desk[Symbol.asyncDispose]());

const signIn = (fields: object = {}) => askJson(desk.stack.url, { ...alice, ...fields });

test("the first page shows what engines counted, without scripts", async () => {
  await using context = await browser.newContext({ locale: "en-US", javaScriptEnabled: false });
  for (let count = 0; count < 3; count += 1) await signIn({ password: `wrong-${count}`, client_ip: "198.51.100.9" });
  for (let count = 0; count < 5; count += 1) await signIn({ client_ip: "198.51.100.9" });
  for (let count = 0; count < 7; count += 1) await signIn();
  const plain = await openConsole(context, desk, "helen");
  const legendOf = (name: string) =>
    plain.locator(".chart", { hasText: "Sign-ins by outcome" }).locator("li", { hasText: name });
  await poll("the counts of the engine", async () => {
    await plain.reload();
    return (
      (await legendOf("Banned network").count()) === 1 && (await legendOf("Banned network").innerText()).endsWith("5")
    );
  });
  expect(await legendOf("Wrong password").innerText()).toContain("Wrong password 3");
  expect(await plain.locator(".tiles").innerText()).toContain("Objective 500 ms: ");
  expect(await plain.locator(".strip li", { hasText: "auth-engine" }).innerText()).toContain("up");
  expect(await plain.locator(".plot").count()).toBeGreaterThan(2);
  await plain.locator(".as-table summary").first().click();
  expect(await plain.locator(".numbers").first().innerText()).toContain("Wrong password");
});

test("the page fits 320, 390 and 1280 px, is usable by keyboard, and axe finds nothing, in any range", async () => {
  await using context = await browser.newContext({ locale: "en-US", bypassCSP: true });
  const page = await openConsole(context, desk, "sam");
  expect(await page.getByLabel(searchLabel).count()).toBe(1);
  for (const range of ["7 days", "24 hours", "1 hour"]) {
    await page.getByRole("link", { name: range }).click();
    await page.locator(`.ranges a[aria-current]`, { hasText: range }).waitFor();
    for (const width of [320, 390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect([range, width, await layoutProblems(page)]).toEqual([range, width, []]);
    }
    expect(await axeProblems(page)).toEqual([]);
  }
  expect(await keyboardProblems(page)).toEqual([]);
  for (const summary of await page.locator(".as-table summary").all()) await summary.click();
  expect(await axeProblems(page)).toEqual([]);
});

test("the strict policy refuses nothing of the page", async () => {
  await using context = await browser.newContext({ locale: "en-US" });
  const page = await openConsole(context, desk, "ada");
  const refused: string[] = [];
  page.on("console", (message) => refused.push(message.text()));
  await page.goto(`${desk.url}/console/overview?range=24h`);
  await page.goto(`${desk.url}/console/bans`);
  expect(await page.locator(".plot").count()).toBe(1);
  expect(refused).toEqual([]);
  expect((await page.goto(`${desk.url}/console/overview?range=<b>`))?.status()).toBe(200);
});
