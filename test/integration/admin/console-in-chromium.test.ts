import { DatabaseSync } from "node:sqlite";
import { Secret } from "@postern/shared/platform/crypto";
import { callerAssertionHeader, createCallerSigner } from "@postern/shared/platform/http";
import { poll } from "@postern/testing";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { axeProblems } from "../../support/axe.ts";
import { sharedChromium } from "../../support/chromium.ts";
import { keyboardProblems, layoutProblems } from "../../support/page-rules.ts";
import { assertionSecret } from "../../support/stack-config.ts";
import {
  actionIn,
  auditLines,
  type ConsoleStack,
  cookieHeader,
  openAction,
  openConsole,
  passFactors,
  postAction,
  searchLabel,
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

const audited = (event: string) => auditLines(desk, event);
const cookieOf = (context: BrowserContext) => cookieHeader(context, desk);
const post = (action: string, posted: Parameters<typeof postAction>[2]) => postAction(desk, action, posted);
const soon = { timeout: 20_000 };
const inEnglish = { locale: "en-US" };
const login = (fields: object) => askJson(desk.stack.url, { ...alice, ...fields });

/** Guesses until the network is banned. */
async function ban(address: string): Promise<void> {
  await poll(`the ban of ${address}`, async () => {
    await login({ client_ip: address, password: `wrong-${Math.random()}` });
    return (await login({ client_ip: address })).status === 403;
  });
}

async function searchFor(page: Page, query: string): Promise<void> {
  await page.getByLabel(searchLabel).fill(query);
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.locator(".verdict").waitFor();
}

/** Searches until the verdict has this state: engines write their records within a second. */
async function searchUntil(page: Page, query: string, state: string): Promise<void> {
  await poll(`the state ${state}`, async () => {
    await searchFor(page, query);
    return (await page.locator(`.verdict.${state}`).count()) === 1;
  });
}

async function act(page: Page, label: string, target: string, reason: string): Promise<void> {
  const item = actionIn(page, label, { about: target }).first();
  await openAction(item);
  await item.getByLabel("Reason").fill(reason);
  await item.getByRole("button", { name: label }).click();
}

const tokenOn = (page: Page): Promise<string> => page.locator('input[name="csrf_token"]').first().inputValue();

test("the help desk sees why a customer is blocked, and lifts the ban with a reason", async () => {
  await using context = await browser.newContext({ ...inEnglish, bypassCSP: true });
  const address = "203.0.113.77";
  expect((await login({ client_ip: address })).status).toBe(200);
  await ban(address);
  const page = await openConsole(context, desk, "helen");
  await searchUntil(page, "alice", "blocked");
  expect(await page.locator(".verdict").innerText()).toContain(
    "3 failures from 203.0.113.0/24 (rule imap); this customer's own password was correct",
  );
  expect(await page.getByText("These accounts signed in from this network too:").isVisible()).toBe(true);
  expect(await page.locator(".timeline li").count()).toBeGreaterThan(1);
  // The action that helps stands beside the verdict.
  expect(await page.locator(".verdict .beside summary").first().innerText()).toContain("Unban");

  await page.setViewportSize({ width: 320, height: 640 });
  await page.evaluate("document.querySelectorAll('details').forEach((part) => (part.open = true))");
  expect(await layoutProblems(page)).toEqual([]);
  expect(await keyboardProblems(page)).toEqual([]);
  expect(await axeProblems(page)).toEqual([]);
  await page.evaluate("document.querySelectorAll('details').forEach((part) => (part.open = false))");

  await act(page, "Unban", "203.0.113.0/24", "ticket 4711: <b>office</b>");
  await page.getByText("Done: Unban.").waitFor();
  await expect.poll(async () => (await login({ client_ip: address })).status, soon).toBe(200);
  expect(audited("console.action")).toContainEqual(
    expect.objectContaining({
      outcome: "ok",
      actor: "helen@example.test",
      target: "203.0.113.0/24",
      reason: "unban",
      note: "ticket 4711: <b>office</b>",
    }),
  );
  expect(audited("account.read")).toContainEqual(
    expect.objectContaining({ actor: "helen@example.test", target: "alice" }),
  );
  expect(audited("brute_force.flush")).toContainEqual(expect.objectContaining({ actor: "helen@example.test" }));
});

test("the cookie opens the console only, at both replicas, and the console's paths exist on its listener only", async () => {
  await using context = await browser.newContext(inEnglish);
  await openConsole(context, desk, "hugo");
  const session = (await context.cookies(desk.url)).find(({ name }) => name === "console_session");
  expect(session).toMatchObject({ sameSite: "Strict", httpOnly: true });
  const cookie = await cookieOf(context);
  const statusOf = async (url: string, headers: Readonly<Record<string, string>> = { cookie }): Promise<number> =>
    (await fetch(url, { headers, redirect: "manual" })).status;
  expect(await statusOf(`${desk.url}/console/search`)).toBe(200);
  expect(await statusOf(`${desk.stack.url}/console/search`)).toBe(404);
  expect(await statusOf(`${desk.url}/api/v1/console/bans`)).toBe(404);
  expect(await statusOf(`${desk.url}/login`)).toBe(404);
  expect(await statusOf(`${desk.url}/healthz`)).toBe(404);
  expect(await statusOf(`${desk.stack.url}/api/v1/console/bans`)).toBe(401);
  const sign = createCallerSigner({ secret: new Secret(assertionSecret), ttlSeconds: 30 });
  const caller = { method: "none", scopes: [], clientIp: "127.0.0.1", session: "test" } as const;
  const headers = { cookie, [callerAssertionHeader]: await sign(caller, "admin") };
  expect(await statusOf(`${desk.second.url}/console/search`, headers)).toBe(200);
  expect(await statusOf(`${desk.second.url}/api/v1/console/bans`, headers)).toBe(403);
});

test("an action needs a form of this session: from the console's origin, by POST, with its token and a reason", async () => {
  await using context = await browser.newContext(inEnglish);
  const page = await openConsole(context, desk, "ada");
  await searchFor(page, "carol@example.test");
  const cookie = await cookieOf(context);
  const form = { csrf_token: await tokenOn(page), target: "carol@example.test", reason: "ticket 1" };
  const statuses = await Promise.all([
    post("flush", { cookie, form }),
    post("flush", { cookie, form, origin: "" }),
    post("flush", { cookie, form, origin: "null" }),
    post("flush", { cookie, form, origin: desk.issuer }),
    post("flush", { cookie, form: { ...form, csrf_token: `${form.csrf_token.slice(1)}A` } }),
    post("flush", { cookie: "", form }),
    post("flush", { cookie, form: { ...form, reason: " x " } }),
    post("no-such-action", { cookie, form }),
    fetch(`${desk.url}/console/actions/flush`, { headers: { cookie }, redirect: "manual" }),
  ]);
  expect(statuses.map(({ status }) => status)).toEqual([303, 403, 403, 403, 403, 403, 400, 404, 404]);
  expect(audited("console.action").filter(({ target }) => target === "carol@example.test")).toHaveLength(1);
});

describe("by role", () => {
  test("the role helpdesk neither sees nor may use actions of the role security", async () => {
    await using context = await browser.newContext(inEnglish);
    const page = await openConsole(context, desk, "hugo");
    await searchFor(page, "carol@example.test");
    expect(await page.locator("main .acts summary").allTextContents()).toEqual([
      expect.stringContaining("Flush"),
      expect.stringContaining("Unlock second factors"),
      expect.stringContaining("Forget remembered devices"),
    ]);
    const cookie = await cookieOf(context);
    const form = { csrf_token: await tokenOn(page), target: "carol@example.test", reason: "ticket 2" };
    for (const action of ["end-sessions", "reset-totp", "reset-recovery"]) {
      expect([action, (await post(action, { cookie, form })).status]).toEqual([action, 403]);
    }
    const own = await post("flush", { cookie, form: { ...form, target: "helen" } });
    expect([own.status, await own.text()]).toEqual([403, expect.stringContaining("the same role as yours")]);
    const ofHugo = audited("console.action").filter(({ actor }) => actor?.startsWith("hugo"));
    const denied = ofHugo.filter(({ outcome }) => outcome === "denied");
    expect(denied.map(({ reason }) => reason)).toEqual(["end-sessions", "reset-totp", "reset-recovery", "flush"]);
  });

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

  test("an account without a role, or without a second factor, is not admitted", async () => {
    await using context = await browser.newContext(inEnglish);
    const page = await context.newPage();
    await page.goto(`${desk.url}/console`);
    await passFactors(page, "paul");
    await page.getByRole("heading", { name: "Second factor required" }).waitFor();
    expect(await cookieOf(context)).not.toContain("console_session=");
    expect(audited("console.sign_in").at(-1)).toMatchObject({ outcome: "denied", reason: "one_factor" });
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

test("bans and attacks are a page, from which a ban is lifted", async () => {
  await using context = await browser.newContext(inEnglish);
  const address = "198.51.100.61";
  await ban(address);
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

test("without Redis, every page says so and no action is carried out", async () => {
  await using context = await browser.newContext(inEnglish);
  const page = await openConsole(context, desk, "ada");
  await searchFor(page, "carol@example.test");
  const cookie = await cookieOf(context);
  const form = { csrf_token: await tokenOn(page), target: "carol@example.test", reason: "ticket 3" };
  const before = audited("console.action").length;
  await desk.stack.redis?.stop();
  const response = await post("flush", { cookie, form });
  expect([response.status, await response.text()]).toEqual([503, expect.stringContaining("Redis is unavailable")]);
  await page.reload();
  expect(await page.getByRole("heading").innerText()).toBe("Redis is unavailable");
  expect(audited("console.action")).toHaveLength(before);
});
