import { DatabaseSync } from "node:sqlite";
import { pause, poll } from "@postern/testing";
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { sharedChromium } from "../../support/chromium.ts";
import { testRedis } from "../../support/redis-content.ts";
import { redisGivenUpSoon } from "../../support/stack-config.ts";
import {
  auditLines,
  type ConsoleStack,
  cookieHeader,
  type OperatorName,
  openConsole,
  startConsoleStack,
} from "./console-stack.ts";
import { type OpenStream, openStream, pagesIn } from "./event-stream.ts";

let desk: ConsoleStack;
let browser: Browser;

beforeAll(async () => {
  desk = await startConsoleStack(redisGivenUpSoon, { shape: "five" });
  browser = await sharedChromium();
});

afterAll(async () => {
  await desk[Symbol.asyncDispose]();
});

const inEnglish = { locale: "en-US" };

/** @returns a page of the console, and what the browser reports about it */
async function openLivePage(context: BrowserContext, name: OperatorName, link: string) {
  const page = await openConsole(context, desk, name);
  const violations: string[] = [];
  page.on("console", (message) => violations.push(message.text()));
  await page.getByRole("link", { name: link }).click();
  return { page, violations };
}

test("a page changes by itself", async () => {
  await using context = await browser.newContext(inEnglish);
  const { page, violations } = await openLivePage(context, "helen", "System");
  const before = await page.locator("#live time").first().innerText();
  await expect.poll(() => page.locator("#live time").first().innerText()).not.toBe(before);
  expect(violations).toEqual([]);
});

test("a page that changes by itself leaves its forms untouched", async () => {
  await using context = await browser.newContext(inEnglish);
  const { page, violations } = await openLivePage(context, "hugo", "Bans and attacks");
  await page.getByLabel("Only this rule").fill("half a na");
  await askJson(desk.stack.url, { ...alice, client_ip: "192.0.2.200", password: "wrong" });
  await expect.poll(() => page.locator("#live .counted").first().innerText()).toContain("192.0.2.0/24");
  expect(await page.getByLabel("Only this rule").inputValue()).toBe("half a na");
  expect(violations).toEqual([]);
});

test("without a session or a role there is no stream", async () => {
  expect((await openStream(desk.second.url, "")).status).toBe(403);
  expect((await openStream(desk.url, "console_session=x")).status).toBe(403);
});

test("signing out at one replica ends the streams of the session at the other", async () => {
  await using context = await browser.newContext(inEnglish);
  const page = await openConsole(context, desk, "hugo");
  const cookie = await cookieHeader(context, desk);
  const streams = [await openStream(desk.second.url, cookie), await openStream(desk.url, cookie, "bans")];
  await poll("an event of each", async () => streams.every((stream) => pagesIn(stream) > 0));
  await page.getByRole("button", { name: "Sign out" }).click();
  await Promise.all(streams.map(({ ended }) => ended));
  for (const { text } of streams) expect(text()).toMatch(/event: end\ndata:\n\n$/u);
});

test("a withdrawn role ends the streams and the session", async () => {
  await using context = await browser.newContext(inEnglish);
  const page = await openConsole(context, desk, "sue");
  await page.goto(`${desk.url}/console/system`);
  const stream = await openStream(desk.second.url, await cookieHeader(context, desk));
  expect(stream.status).toBe(200);
  using directory = new DatabaseSync(desk.directoryFile);
  directory.exec("UPDATE users SET uid = 'former-sue' WHERE uid = 'sue'");
  await stream.ended;
  await page.getByText("This page is no longer updated.").waitFor();
  await page.reload();
  expect(page.url()).not.toContain("/console/system");
  expect(auditLines(desk, "console.sign_out")).toContainEqual(
    expect.objectContaining({ actor: "sue@example.test", reason: "no_role" }),
  );
});

test("an operator has four streams, of which the oldest gives way", async () => {
  await using context = await browser.newContext(inEnglish);
  await openConsole(context, desk, "sam");
  const cookie = await cookieHeader(context, desk);
  const first = await openStream(desk.second.url, cookie);
  const others: OpenStream[] = [];
  for (let index = 0; index < 4; index += 1) others.push(await openStream(desk.second.url, cookie));
  await first.ended;
  await poll("an event of each", async () => others.every((stream) => pagesIn(stream) > 0));
  expect([first, ...others].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  for (const { leave } of others) leave();
});

test("a stream does not prolong its session, and ends with it", async () => {
  await using context = await browser.newContext(inEnglish);
  await openConsole(context, desk, "ada");
  const stream = await openStream(desk.second.url, await cookieHeader(context, desk));
  const redis = await testRedis(desk.stack.redis?.port ?? 0);
  for (const key of await redis.keys("*console:session*")) await redis.pexpire(key, 4000);
  redis.disconnect();
  await stream.ended;
  expect(stream.text()).toContain("event: end");
});

test("while Redis is frozen streams pause instead of ending permanently", async () => {
  await using context = await browser.newContext(inEnglish);
  await openConsole(context, desk, "ada");
  const cookie = await cookieHeader(context, desk);
  const { redis } = desk.stack;
  if (redis === undefined) throw new Error("the stack has no Redis");
  const before = await openStream(desk.second.url, cookie);
  await pause(redis);
  await before.ended;
  const during = await openStream(desk.second.url, cookie);
  await during.ended;
  redis.signal("SIGCONT");
  expect(before.text()).not.toContain("event: end");
  expect([during.status, during.text()]).toEqual([200, "retry: 3000\n\n"]);
  const after = await poll("a stream with pages", async () => {
    const stream = await openStream(desk.second.url, cookie);
    await Promise.race([stream.ended, poll("a page", async () => pagesIn(stream) > 0)]);
    return pagesIn(stream) > 0 ? stream : undefined;
  });
  after.leave();
});

test("streams end when admin or the gateway stops, and neither waits for them", async () => {
  await using context = await browser.newContext(inEnglish);
  await openConsole(context, desk, "hugo");
  const cookie = await cookieHeader(context, desk);
  const [direct, forwarded] = [await openStream(desk.second.url, cookie), await openStream(desk.url, cookie)];
  await poll("an event of each", async () => pagesIn(direct) > 0 && pagesIn(forwarded) > 0);
  expect(await desk.second.process.stop()).toBe(0);
  await direct.ended;
  expect(direct.text()).not.toContain("event: end");
  expect(await desk.stack.gateway.stop()).toBe(0);
  await forwarded.ended;
});
