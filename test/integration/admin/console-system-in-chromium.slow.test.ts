import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axeProblems } from "../../support/axe.ts";
import { sharedChromium } from "../../support/chromium.ts";
import { layoutProblems } from "../../support/page-rules.ts";
import { type ConsoleStack, openConsole, startConsoleStack } from "./console-stack.ts";

let desk: ConsoleStack;

beforeAll(async () => {
  desk = await startConsoleStack({}, { shape: "five" });
});

afterAll(() => desk[Symbol.asyncDispose]());

test("with idp, all engines and jobs-worker stopped, an operator who is signed in sees the system, and may not act", async () => {
  const browser = await sharedChromium();
  await using context = await browser.newContext({ locale: "en-US", bypassCSP: true });
  const page = await openConsole(context, desk, "helen");
  await page.getByRole("link", { name: "System" }).click();
  await page.locator(".verdict").waitFor();
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await layoutProblems(page)).toEqual([]);
  expect(await axeProblems(page)).toEqual([]);
  const worker = await desk.stack.start("jobs-worker");
  const stopped = [...desk.stack.engines, desk.stack.services.get("idp"), worker];
  await Promise.all(stopped.map(async (service) => service?.stop()));
  await poll("the findings", async () => {
    await page.reload();
    return (await page.locator(".verdict.blocked").count()) === 1;
  });
  expect(await page.getByRole("table", { name: "Findings" }).textContent()).toContain("problem");
  expect(await page.locator(".who-am-i").textContent()).toContain("helen@example.test, helpdesk");
});
