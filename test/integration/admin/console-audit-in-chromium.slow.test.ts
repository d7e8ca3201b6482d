import { readFile } from "node:fs/promises";
import { Secret } from "@postern/shared/platform/crypto";
import { callerAssertionHeader, createCallerSigner } from "@postern/shared/platform/http";
import { poll } from "@postern/testing";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axeProblems } from "../../support/axe.ts";
import { sharedChromium } from "../../support/chromium.ts";
import { clockOffset } from "../../support/clock-offset.ts";
import { keyboardProblems, layoutProblems } from "../../support/page-rules.ts";
import { assertionSecret } from "../../support/stack-config.ts";
import { auditLines, type ConsoleStack, cookieHeader, openConsole, startConsoleStack } from "./console-stack.ts";

let desk: ConsoleStack;
let browser: Browser;

beforeAll(async () => {
  desk = await startConsoleStack({}, { shape: "five" });
  browser = await sharedChromium();
});

afterAll(async () => {
  await desk[Symbol.asyncDispose]();
});

const inEnglish = { locale: "en-US", bypassCSP: true };

const tokenOn = (page: Page): Promise<string> => page.locator('input[name="csrf_token"]').first().inputValue();

async function postExport(context: BrowserContext, form: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(`${desk.url}/console/audit/export`, {
    method: "POST",
    redirect: "manual",
    headers: { cookie: await cookieHeader(context, desk), origin: desk.url },
    body: new URLSearchParams(form),
  });
}

async function openFilter(page: Page): Promise<void> {
  const filter = page.locator("details", { hasText: "Filter and export" }).first();
  if ((await filter.getAttribute("open")) === null) await filter.locator("summary").first().click();
}

test("the role helpdesk has no audit page, and gets 403 at its addresses", async () => {
  await using context = await browser.newContext(inEnglish);
  const page = await openConsole(context, desk, "helen");
  expect(await page.getByRole("link", { name: "Audit" }).count()).toBe(0);
  const response = await page.goto(`${desk.url}/console/audit`);
  expect(response?.status()).toBe(403);
  const exported = await postExport(context, { csrf_token: await tokenOn(page), format: "csv" });
  expect(exported.status).toBe(403);
  expect(auditLines(desk, "audit.export").at(-1)).toMatchObject({ outcome: "denied", reason: "role" });
});

test("the role security filters the records, and exports them after a recent sign-in only", async () => {
  await using context = await browser.newContext(inEnglish);
  const page = await openConsole(context, desk, "sam");
  await page.getByRole("link", { name: "Audit" }).click();
  await poll("the sign-in", async () => {
    await page.reload();
    return (await page.locator(".rows td", { hasText: "console.sign_in" }).count()) > 0;
  });
  await openFilter(page);
  await page.getByLabel("Actor").fill("SAM@");
  await page.getByLabel("Event").selectOption("console");
  await page.getByRole("button", { name: "Filter" }).click();
  await page.waitForLoadState();
  const shown = await page.locator('.rows td[data-column="Event"]').allInnerTexts();
  expect(shown.length).toBeGreaterThan(0);
  expect(shown.every((event) => event.startsWith("console."))).toBe(true);
  expect(new URL(page.url()).search).toBe("");
  expect(await axeProblems(page)).toEqual([]);
  expect(await keyboardProblems(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await layoutProblems(page)).toEqual([]);
  expect(auditLines(desk, "audit.read").at(-1)).toMatchObject({
    actor: "sam@example.test",
    target: "actor=SAM@ event=console",
  });
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export as CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("audit.csv");
  const text = await readFile(await download.path(), "utf8");
  expect(text.split("\r\n")[0]).toContain("time,service,instance,event");
  expect(text).toContain("console.sign_in");
  expect(text).not.toContain("account.read");
  expect(auditLines(desk, "audit.export").at(-1)).toMatchObject({ outcome: "ok", actor: "sam@example.test" });
});

test("an export needs a form of this session", async () => {
  await using context = await browser.newContext(inEnglish);
  const page = await openConsole(context, desk, "ada");
  const before = auditLines(desk, "audit.export").length;
  const statuses = [
    await postExport(context, { format: "csv" }),
    await postExport(context, { csrf_token: await tokenOn(page), format: "xml" }),
  ];
  expect(statuses.map(({ status }) => status)).toEqual([403, 400]);
  expect(auditLines(desk, "audit.export")).toHaveLength(before);
});

test("six minutes after the sign-in, an export is refused until the operator signs in again", async () => {
  await using context = await browser.newContext(inEnglish);
  const page = await openConsole(context, desk, "sue");
  const form = { csrf_token: await tokenOn(page), format: "jsonl" };
  const cookie = await cookieHeader(context, desk);
  const later = await desk.stack.startReplica("admin", clockOffset(360_000));
  const sign = createCallerSigner({ secret: new Secret(assertionSecret), ttlSeconds: 1000 });
  const caller = { method: "none", scopes: [], clientIp: "127.0.0.1", session: "later" } as const;
  const headers = { cookie, origin: desk.url, [callerAssertionHeader]: await sign(caller, "admin") };
  const address = `${later.url}/console/audit`;
  const body = new URLSearchParams(form);
  const refused = await fetch(`${address}/export`, { method: "POST", redirect: "manual", headers, body });
  expect([refused.status, refused.headers.get("location")]).toEqual([303, "/console/audit"]);
  expect(auditLines(desk, "audit.export").at(-1)).toMatchObject({ outcome: "denied", reason: "proof" });
  expect(await (await fetch(address, { headers })).text()).toContain("Sign in again");
  const now = await postExport(context, form);
  expect([now.status, now.headers.get("content-type")]).toEqual([200, "application/jsonl; charset=utf-8"]);
});
