import { poll } from "@postern/testing";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { sharedChromium } from "../../support/chromium.ts";
import { auditLines, type ConsoleStack, cookieHeader, openConsole, startConsoleStack } from "../admin/console-stack.ts";
import { type OpenStream, openStream, pagesIn } from "../admin/event-stream.ts";

/** What every role may do is tested in test/integration/admin and test/long/pages. */
let desk: ConsoleStack;
let browser: Browser;

beforeAll(async () => {
  desk = await startConsoleStack({}, { shape: "one" });
  browser = await sharedChromium();
});

afterAll(async () => {
  await desk[Symbol.asyncDispose]();
});

const inEnglish = { locale: "en-US" };
const perOperator = 4;

const arrived = (streams: readonly OpenStream[]): Promise<true> =>
  poll("a page of each stream", async () => streams.every((stream) => pagesIn(stream) > 0));

test("an operator signs in with a second factor, and the pages change by themselves", async () => {
  await using context = await browser.newContext(inEnglish);
  const page = await openConsole(context, desk, "helen");
  expect(auditLines(desk, "console.sign_in")).toContainEqual(
    expect.objectContaining({ actor: "helen@example.test", outcome: "ok" }),
  );
  await page.getByRole("link", { name: "System" }).click();
  const before = await page.locator("#live time").first().innerText();
  await expect.poll(() => page.locator("#live time").first().innerText()).not.toBe(before);
  await page.getByRole("link", { name: "Bans and attacks" }).click();
  for (const password of ["wrong-0", "wrong-1", "wrong-2"])
    await askJson(desk.stack.url, { ...alice, client_ip: "192.0.2.200", password });
  await expect.poll(() => page.locator("#live .counted").first().innerText()).toContain("192.0.2.0/24");
});

test("signing out ends the streams of the session", async () => {
  await using context = await browser.newContext(inEnglish);
  const page = await openConsole(context, desk, "hugo");
  const cookie = await cookieHeader(context, desk);
  const streams = [await openStream(desk.url, cookie), await openStream(desk.url, cookie, "bans")];
  expect(streams.map(({ status }) => status)).toEqual([200, 200]);
  await page.getByRole("button", { name: "Sign out" }).click();
  await Promise.all(streams.map(({ ended }) => ended));
  for (const { text } of streams) expect(text()).toMatch(/event: end\ndata:\n\n$/u);
});

test("a stream whose browser leaves ends behind the gateway too", async () => {
  await using context = await browser.newContext(inEnglish);
  await openConsole(context, desk, "sam");
  const cookie = await cookieHeader(context, desk);
  const first = await openStream(desk.url, cookie);
  const leaving = await Promise.all(Array.from({ length: perOperator - 1 }, () => openStream(desk.url, cookie)));
  await arrived([first, ...leaving]);
  for (const { leave } of leaving) leave();
  await Promise.all(leaving.map(({ ended }) => ended));
  // If those that left stayed open, these would be too many, and the first would give way.
  const others = [await openStream(desk.url, cookie), await openStream(desk.url, cookie)];
  await arrived(others);
  await expect.poll(() => pagesIn(first)).toBeGreaterThan(pagesIn(first));
  for (const { leave } of [first, ...others]) leave();
});

test("streams end when the process stops, which does not wait for them", async () => {
  await using context = await browser.newContext(inEnglish);
  await openConsole(context, desk, "ada");
  const stream = await openStream(desk.url, await cookieHeader(context, desk));
  expect(stream.status).toBe(200);
  expect(await desk.stack.gateway.stop()).toBe(0);
  await stream.ended;
  expect(stream.text()).not.toContain("event: end");
  expect(desk.stack.gateway.output()).not.toContain("shutdown step took too long");
});
