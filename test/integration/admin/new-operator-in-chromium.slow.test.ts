import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { sharedChromium } from "../../support/chromium.ts";
import { totpCode } from "../../support/totp-code.ts";
import { auditLines, type ConsoleStack, openConsole, startConsoleStack } from "./console-stack.ts";

let desk: ConsoleStack;
let browser: Browser;

beforeAll(async () => {
  desk = await startConsoleStack({}, { hasMailSearch: true });
  browser = await sharedChromium();
});

afterAll(() => desk[Symbol.asyncDispose]());

/** Has the role helpdesk and no second factor. */
const paul = "paul@example.test";
const inEnglish = { locale: "en-US" };
const accountHome = "/mfa/register/home";
const stepNow = (): number => Math.floor(Date.now() / 30_000);

async function enterPassword(page: Page): Promise<void> {
  await page.getByLabel("Username or email address").fill(paul);
  await page.getByLabel("Password", { exact: true }).fill("alice-demo-password");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Sets up an authenticator app with nothing but the password. */
async function enrol(context: BrowserContext): Promise<string> {
  const page = await context.newPage();
  await page.goto(`${desk.issuer}${accountHome}`);
  await enterPassword(page);
  await page.getByRole("heading", { name: "Your account" }).waitFor();
  await page.goto(`${desk.issuer}/mfa/totp/register`);
  const secret = ((await page.locator("code.secret").textContent()) ?? "").replaceAll(/\s/gu, "");
  await page.getByLabel("Six-digit code").fill(totpCode(secret, stepNow()));
  await page.getByLabel("Six-digit code").press("Enter");
  await page.waitForURL(/recovery/u);
  return secret;
}

const hasSession = async (context: BrowserContext): Promise<boolean> =>
  (await context.cookies(desk.url)).some(({ name }) => name === "console_session");

async function isRefused(context: BrowserContext, heading: string, page: Page): Promise<void> {
  await page.getByRole("heading", { name: heading }).waitFor();
  expect(await hasSession(context)).toBe(false);
}

async function enterCode(page: Page, code: string): Promise<void> {
  await page.getByLabel("Invitation code").fill(code);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

const codeFor = async (username: string): Promise<string> => {
  const { status, body } = await askAdmin(desk.stack, "POST", "/api/v1/console/invitations", { body: { username } });
  expect(status).toBe(200);
  return String(body["code"]);
};

test("a second factor that the password alone set up does not admit to the console, unless an invitation vouches for it", async () => {
  await using first = await browser.newContext(inEnglish);
  const secret = await enrol(first);
  // In the session that set it up.
  const page = await first.newPage();
  await page.goto(`${desk.url}/console`);
  await isRefused(first, "Sign in with your second factor", page);
  await page.getByRole("link", { name: "Sign in again" }).click();
  await page.getByLabel("Password", { exact: true }).waitFor();
  // In a session that began with it.
  await using second = await browser.newContext(inEnglish);
  const again = await second.newPage();
  await again.goto(`${desk.url}/console`);
  await enterPassword(again);
  await again.getByLabel("Six-digit code").fill(totpCode(secret, stepNow() + 1));
  await again.getByRole("button", { name: "Verify", exact: true }).click();
  await isRefused(second, "Invitation required", again);
  await enterCode(again, "AAAA-BBBB-CCCC-DDDD-EEEE");
  await isRefused(second, "Code not valid", again);
  // The code of another account.
  await enterCode(again, await codeFor("hugo@example.test"));
  await isRefused(second, "Code not valid", again);
  const code = await codeFor("paul");
  await enterCode(again, code.toLowerCase().replaceAll("-", " "));
  await again.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  expect(await hasSession(second)).toBe(true);
  const reasons = auditLines(desk, "console.sign_in").map(({ outcome, reason }) => reason ?? outcome);
  expect(reasons).toEqual(["new_factor", "unproven", "code", "code", "ok"]);
  // From now on, the factor is accepted without a code, and the code is used up.
  await second.clearCookies({ name: "console_session" });
  await again.goto(`${desk.url}/console`);
  await again.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
});

test("a second factor that was there before, or that provisioning set up, admits to the console as before", async () => {
  await using context = await browser.newContext(inEnglish);
  await openConsole(context, desk, "ada");
  expect(await hasSession(context)).toBe(true);
});

test("there is no code for a name that no backend has", async () => {
  const body = { username: "nobody@example.test" };
  expect((await askAdmin(desk.stack, "POST", "/api/v1/console/invitations", { body })).status).toBe(400);
});
