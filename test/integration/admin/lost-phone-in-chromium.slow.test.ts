import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedChromium } from "../../support/chromium.ts";
import { inEnglish } from "./console-effects.ts";
import {
  actionIn,
  auditLines,
  type ConsoleStack,
  type OperatorName,
  openAction,
  openConsole,
  startConsoleStack,
} from "./console-stack.ts";

const bob = "bob@example.test";

let desk: ConsoleStack;
let browser: Browser;

beforeAll(async () => {
  const webhook = { url: "http://127.0.0.1:9/", secret: "a-secret-of-webhooks-0123456789" };
  const notices = { enabled: true, webhook };
  desk = await startConsoleStack({ identity: { mfa: { lost_phone: { enabled: true } }, notices } });
  browser = await sharedChromium();
}, 300_000);

afterAll(() => desk[Symbol.asyncDispose]());

async function accountPage(operator: OperatorName): Promise<Page> {
  const page = await openConsole(await browser.newContext(inEnglish), desk, operator);
  await page.getByRole("link", { name: "Account", exact: true }).click();
  await page.getByLabel("Account or alias").fill(bob);
  await page.getByRole("button", { name: "Show" }).click();
  await page.locator(".verdict").waitFor();
  return page;
}

test("the role security creates a code, which the page shows once", async () => {
  const page = await accountPage("sam");
  const action = actionIn(page, "Create a lost-phone code");
  await openAction(action);
  await action.getByLabel("Reason").fill("lost the phone, called back");
  await action.getByRole("button", { name: "Create a lost-phone code" }).click();
  await page.getByRole("heading", { level: 1, name: "Lost-phone code" }).waitFor();
  expect(await page.locator("code").innerText()).toMatch(/^[A-Z2-9]{4}(-[A-Z2-9]{4}){3}$/u);
  const line = { actor: "sam@example.test", target: bob, reason: "lost-phone", outcome: "ok" };
  expect(auditLines(desk, "console.action")).toContainEqual(expect.objectContaining(line));
  expect(auditLines(desk, "lost_phone.create")).toContainEqual(expect.objectContaining({ target: bob, outcome: "ok" }));
});

test("the role helpdesk is told which role may", async () => {
  const page = await accountPage("helen");
  expect(await page.locator("summary", { hasText: "Create a lost-phone code" }).count()).toBe(0);
  const note = await page.locator(".note", { hasText: "does not permit" }).innerText();
  expect(note).toContain("Create a lost-phone code");
  expect(note).toContain("They need the role security");
});
