import { DatabaseSync } from "node:sqlite";
import { Secret } from "@postern/shared/platform/crypto";
import { callerAssertionHeader, createCallerSigner } from "@postern/shared/platform/http";
import { poll } from "@postern/testing";
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeProblems } from "../../support/axe.ts";
import { sharedChromium } from "../../support/chromium.ts";
import { clockOffset } from "../../support/clock-offset.ts";
import { keyboardProblems, layoutProblems } from "../../support/page-rules.ts";
import { assertionSecret } from "../../support/stack-config.ts";
import { act, ban, inEnglish, loginAt, searchFor, searchUntil, soon, tokenOn } from "./console-desk.ts";
import {
  actionIn,
  auditLines,
  type ConsoleStack,
  cookieHeader,
  openConsole,
  passFactors,
  startConsoleStack,
} from "./console-stack.ts";

let desk: ConsoleStack;
let browser: Browser;

beforeAll(async () => {
  desk = await startConsoleStack({}, { shape: "five" });
  browser = await sharedChromium();
});

afterAll(async () => {
  await desk[Symbol.asyncDispose]();
});

const cookieOf = (context: BrowserContext) => cookieHeader(context, desk);
const login = (fields: object) => loginAt(desk, fields);

test("an account page with every form open fits a narrow phone, and complies with WCAG 2.2 AA", async () => {
  await using context = await browser.newContext({ ...inEnglish, bypassCSP: true });
  const address = "203.0.113.77";
  expect((await login({ client_ip: address })).status).toBe(200);
  await ban(desk, address);
  const page = await openConsole(context, desk, "helen");
  await searchUntil(page, "alice", "blocked");
  await page.setViewportSize({ width: 320, height: 640 });
  await page.evaluate("document.querySelectorAll('details').forEach((part) => (part.open = true))");
  expect(await layoutProblems(page)).toEqual([]);
  expect(await keyboardProblems(page)).toEqual([]);
  expect(await axeProblems(page)).toEqual([]);
});

const statusOf = async (url: string, headers: Readonly<Record<string, string>>): Promise<number> =>
  (await fetch(url, { headers, redirect: "manual" })).status;

test("the cookie opens the console at both replicas, and nothing else there", async () => {
  await using context = await browser.newContext(inEnglish);
  await openConsole(context, desk, "hugo");
  const cookie = await cookieOf(context);
  const sign = createCallerSigner({ secret: new Secret(assertionSecret), ttlSeconds: 30 });
  const caller = { method: "none", scopes: [], clientIp: "127.0.0.1", session: "test" } as const;
  const headers = { cookie, [callerAssertionHeader]: await sign(caller, "admin") };
  expect(await statusOf(`${desk.second.url}/console/search`, headers)).toBe(200);
  expect(await statusOf(`${desk.second.url}/api/v1/console/bans`, headers)).toBe(403);
});

describe("by role", () => {
  test("the role security removes an authenticator app and ends sessions, but not of a higher role", async () => {
    await using customer = await browser.newContext(inEnglish);
    const home = await customer.newPage();
    await home.goto(`${desk.issuer}/mfa/register/home`);
    await passFactors(home, "victor");
    await home.getByRole("heading", { name: "Your account" }).waitFor();
    await using context = await browser.newContext(inEnglish);
    const page = await openConsole(context, desk, "sam");
    await searchFor(page, "victor");
    await act(page, "End sessions", "victor@example.test", "stolen laptop");
    await page.getByText("Done: End sessions.").waitFor();
    await home.reload();
    expect(new URL(home.url()).pathname).toBe("/login");
    await act(page, "Remove the authenticator app", "victor@example.test", "lost phone");
    await page.getByText("Done: Remove the authenticator app.").waitFor();
    using directory = new DatabaseSync(desk.directoryFile, { readOnly: true });
    expect(directory.prepare("SELECT totp_secret FROM users WHERE uid = 'victor'").get()?.["totp_secret"]).toBeNull();
    await searchFor(page, "ada");
    await page.getByText("the same role as yours or a higher one.").waitFor();
    await searchFor(page, "nobody@example.test");
    await page.getByText("No backend has an account of this name, so there is nothing to change.").waitFor();
    expect(await page.locator("main .acts").count()).toBe(0);
  });

  test("a role that is withdrawn ends the session with the next request", async () => {
    await using context = await browser.newContext(inEnglish);
    const page = await openConsole(context, desk, "sue");
    using directory = new DatabaseSync(desk.directoryFile);
    directory.exec("UPDATE users SET uid = 'former-sue' WHERE uid = 'sue'");
    const cookie = await cookieOf(context);
    await page.reload();
    await page.getByRole("heading", { name: "No access" }).waitFor();
    directory.exec("UPDATE users SET uid = 'sue' WHERE uid = 'former-sue'");
    const again = await fetch(`${desk.url}/console/search`, { headers: { cookie }, redirect: "manual" });
    expect([again.status, again.headers.get("location")]).toEqual([303, expect.stringContaining("/console/sign-in")]);
  });
});

test("to prove the second factor again, the operator enters the password and a new code, and returns to the page", async () => {
  await using context = await browser.newContext(inEnglish);
  const page = await openConsole(context, desk, "helen");
  const before = await cookieOf(context);
  await searchFor(page, "carol@example.test");
  const next = page.url().slice(desk.url.length);
  expect(next).not.toContain("carol");
  await page.goto(`${desk.url}/console/sign-in?${new URLSearchParams({ proof: "1", next }).toString()}`);
  await passFactors(page, "helen");
  await page.locator(".verdict").waitFor();
  expect(page.url()).toBe(`${desk.url}${next}`);
  expect(await cookieOf(context)).not.toBe(before);
  const old = { headers: { cookie: before }, redirect: "manual" } as const;
  expect((await fetch(`${desk.url}/console/search`, old)).status).toBe(303);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "You are signed out" }).waitFor();
});

test("an action that is sent six minutes after the sign-in is not done, and its form comes back as it was entered", async () => {
  await using context = await browser.newContext({ ...inEnglish, bypassCSP: true });
  const page = await openConsole(context, desk, "sam");
  await searchFor(page, "victor");
  await page.getByRole("link", { name: "Second factors, app passwords" }).click();
  const next = page.url().slice(desk.url.length);
  const form = { csrf_token: await tokenOn(page), target: "victor@example.test", next };
  const [cookie, later] = [await cookieOf(context), await desk.stack.startReplica("admin", clockOffset(360_000))];
  const sign = createCallerSigner({ secret: new Secret(assertionSecret), ttlSeconds: 1000 });
  const caller = { method: "none", scopes: [], clientIp: "127.0.0.1", session: "later" } as const;
  const headers = { cookie, origin: desk.url, [callerAssertionHeader]: await sign(caller, "admin") };
  const entered = { reason: "stolen laptop", lasts: "7d", text: "Call the help desk." };
  const body = new URLSearchParams({ ...form, ...entered });
  const sent = await fetch(`${later.url}/console/actions/suspend`, {
    method: "POST",
    redirect: "manual",
    headers,
    body,
  });
  const kept = sent.headers.get("location") ?? "";
  expect([sent.status, kept]).toEqual([303, expect.stringContaining(`${next}&kept=`)]);
  expect(kept).not.toContain("laptop");
  expect(auditLines(desk, "console.action").at(-1)).toMatchObject({ outcome: "denied", reason: "suspend" });
  await page.setContent(await (await fetch(`${later.url}${kept}`, { headers })).text());
  const notice = page.getByRole("alert").filter({ hasText: "Not done: Suspend the account." });
  const href = await notice.getByRole("link", { name: "Sign in again" }).getAttribute("href");
  const back = new URL(href ?? "", desk.url).searchParams.get("next") ?? "";
  await page.goto(`${desk.url}${back}`);
  await page.getByText("Suspend the account is not done yet").waitFor();
  const panel = actionIn(page, "Suspend the account").and(page.locator("[open]"));
  expect(await panel.getByLabel("Reason").inputValue()).toBe(entered.reason);
  expect(await panel.getByLabel("How long").inputValue()).toBe(entered.lasts);
  expect(await panel.getByLabel("Text for the user").inputValue()).toBe(entered.text);
  expect(await axeProblems(page)).toEqual([]);
  await panel.getByRole("button", { name: "Suspend the account" }).click();
  await page.getByText("Done: Suspend the account.").waitFor();
  await act(page, "Resume the account", "victor@example.test", "found again");
  await page.getByText("Done: Resume the account.").waitFor();
});

test("bans and attacks are a page, from which a ban is lifted", async () => {
  await using context = await browser.newContext(inEnglish);
  const address = "198.51.100.61";
  await ban(desk, address);
  const page = await openConsole(context, desk, "ada");
  await page.getByRole("link", { name: "Bans and attacks" }).click();
  await poll("the failures of the last hour", async () => {
    await page.reload();
    return (await page.locator(".counted").allInnerTexts()).some((text) => text.includes("198.51.100.0/24"));
  });
  await page.getByLabel("Only this rule").fill("no-such-rule");
  await page.getByRole("button", { name: "Filter" }).click();
  expect(await page.locator(".rows").count()).toBe(0);
  await page.getByRole("link", { name: "Bans and attacks" }).click();
  await page.getByRole("link", { name: "Sort by end, earliest first" }).click();
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await layoutProblems(page)).toEqual([]);
  await act(page, "Unban", "198.51.100.0/24", "ticket 4712");
  await page.getByText("Done: Unban.").waitFor();
  expect(new URL(page.url()).pathname).toBe("/console/bans");
  await expect.poll(async () => (await login({ client_ip: address })).status, soon).toBe(200);
});

test("hostile names are shown as text", async () => {
  await using context = await browser.newContext(inEnglish);
  const hostile = `"><img src=x onerror=alert(1)><script>alert(2)</script>`;
  const address = "198.51.100.23";
  await login({ client_ip: address, username: hostile, password: "wrong" });
  const page = await openConsole(context, desk, "sam");
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => dialogs.push(dialog.message()));
  await searchUntil(page, address, "denied");
  expect(await page.locator(".timeline").innerText()).toContain(hostile);
  await searchFor(page, hostile);
  expect(await page.locator("h2").first().innerText()).toContain(hostile);
  expect(await page.locator("main script, img").count()).toBe(0);
  expect(dialogs).toEqual([]);
});
