import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { axeProblems } from "../../support/axe.ts";
import { sharedChromium } from "../../support/chromium.ts";
import { keyboardProblems, layoutProblems } from "../../support/page-rules.ts";
import { actionIn, type ConsoleStack, openAction, openConsole, startConsoleStack } from "../admin/console-stack.ts";

let desk: ConsoleStack;
let browser: Browser;

beforeAll(async () => {
  desk = await startConsoleStack();
  browser = await sharedChromium();
});

afterAll(async () => {
  await desk[Symbol.asyncDispose]();
});

async function show(page: Page, account: string): Promise<void> {
  await page.getByRole("link", { name: "Account", exact: true }).click();
  await page.getByLabel("Account or alias").fill(account);
  await page.getByRole("button", { name: "Show" }).click();
  await page.locator(".verdict").waitFor();
}

const action = (page: Page, label: string) => actionIn(page, label);

async function act(page: Page, label: string): Promise<void> {
  await action(page, label).getByLabel("Reason").fill("ticket 4711");
  await action(page, label).getByRole("button", { name: label }).click();
  await page.getByText(`Done: ${label}.`).waitFor();
}

const login = () => askJson(desk.stack.url, alice);

test("an operator suspends the account behind an alias, reads so, and resumes it", async () => {
  await using customer = await browser.newContext({ locale: "en-US" });
  const customerPage = await customer.newPage();
  await customerPage.goto(`${desk.issuer}/mfa/register/home`);
  await customerPage.getByLabel("Username or email address").fill(alice.username);
  await customerPage.getByLabel("Password", { exact: true }).fill(alice.password);
  await customerPage.getByRole("button", { name: "Sign in", exact: true }).click();
  await customerPage.getByRole("heading", { name: "Your account" }).waitFor();

  await using context = await browser.newContext({ locale: "en-US", bypassCSP: true });
  const page = await openConsole(context, desk, "sam");
  await show(page, "alice");
  const suspended = page.locator("h1 .badge", { hasText: "Suspended" });
  expect(await suspended.count()).toBe(0);
  const suspend = action(page, "Suspend the account");
  await openAction(suspend);
  expect(await suspend.innerText()).toContain("Now: 1 browser session, 0 sessions at applications.");
  await suspend.getByLabel("How long").selectOption("24 hours");
  await suspend.getByLabel("Text for the user").fill("Call 555-0100");
  expect(await axeProblems(page)).toEqual([]);
  expect(await layoutProblems(page)).toEqual([]);
  await act(page, "Suspend the account");

  const text = await page.locator("main").innerText();
  expect(text).toMatch(/sam@example\.test suspended the account at .* until 20.* UTC: every sign-in is refused/u);
  expect(text).toContain("the user reads “Call 555-0100”.");
  expect(await suspended.count()).toBe(1);
  expect(await page.locator(".verdict .beside summary").first().innerText()).toContain("Resume the account");
  expect(await action(page, "Suspend the account").count()).toBe(0);
  expect(await axeProblems(page)).toEqual([]);
  expect(await keyboardProblems(page)).toEqual([]);
  await expect.poll(async () => (await login()).headers.get("auth-status")).toBe("Call 555-0100");
  await customerPage.reload();
  expect(new URL(customerPage.url()).pathname).toBe("/login");

  await openAction(action(page, "Resume the account"));
  await act(page, "Resume the account");
  await expect.poll(async () => (await login()).status).toBe(200);
  expect(await suspended.count()).toBe(0);
});

test("a suspended operator leaves the console, and one of the same or a higher role cannot be suspended by another", async () => {
  await using own = await browser.newContext({ locale: "en-US" });
  await using others = await browser.newContext({ locale: "en-US" });
  const admin = await openConsole(own, desk, "ada");
  const security = await openConsole(others, desk, "sam");
  for (const account of ["sue@example.test", "ada@example.test", "sam@example.test"]) {
    await show(security, account);
    expect(await action(security, "Suspend the account").count()).toBe(0);
  }
  await show(admin, "sam@example.test");
  await openAction(action(admin, "Suspend the account"));
  await act(admin, "Suspend the account");
  await security.reload();
  expect(await security.getByRole("heading", { level: 1, name: "Account" }).count()).toBe(0);
  await openAction(action(admin, "Resume the account"));
  await act(admin, "Resume the account");
});
