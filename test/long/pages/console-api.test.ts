import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConsoleStack, openConsole, startConsoleStack } from "../../integration/admin/console-stack.ts";
import { sharedChromium } from "../../support/chromium.ts";

let desk: ConsoleStack;
let browser: Browser;

beforeAll(async () => {
  desk = await startConsoleStack();
  browser = await sharedChromium();
});

afterAll(async () => {
  await desk[Symbol.asyncDispose]();
});

test("an operator browses the API under the console's policy and from its origin alone, in light and dark colours", async () => {
  await using context = await browser.newContext({ locale: "en-US", colorScheme: "light" });
  const page = await openConsole(context, desk, "helen");
  const faults: string[] = [];
  page.on("console", (message) => faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== desk.url && protocol !== "data:") faults.push(`loads ${request.url()}`);
  });
  await page.getByRole("link", { name: "API", exact: true }).click();
  const unban = page.locator("#operations-Bans-flushBruteForceRule, [id$=-flushBruteForceRule]").first();
  await unban.waitFor();
  expect(await page.locator("html.dark-mode").count()).toBe(0);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.reload();
  await unban.waitFor();
  expect(await page.locator("html.dark-mode").count()).toBe(1);
  await unban.locator(".opblock-summary-control").click();
  await unban.getByText("Responses", { exact: true }).first().waitFor();
  expect(await page.getByRole("button", { name: /try it out|authorize|execute/iu }).count()).toBe(0);
  expect(faults).toEqual([]);
  const policy = (await page.request.get(page.url())).headers()["content-security-policy"];
  expect(policy).toContain("default-src 'none'; style-src 'self';");
  expect(policy).toContain("script-src 'self'; connect-src 'self'");
  expect(policy).not.toContain("unsafe");
});

const at = (path: string): Promise<Response> => fetch(`${desk.url}${path}`, { redirect: "manual" });

test("the document is for signed-in operators, and the management interface itself is not on this listener", async () => {
  for (const path of ["/console/api", "/console/api/document"]) {
    const answer = await at(path);
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      `/console/sign-in?next=${encodeURIComponent(path)}`,
    ]);
  }
  expect((await at("/api/v1/openapi.json")).status).toBe(404);
});

test("without JavaScript, the page links the document", async () => {
  await using context = await browser.newContext({ locale: "en-US" });
  await openConsole(context, desk, "sam");
  const { cookies } = await context.storageState();
  await using plain = await browser.newContext({ javaScriptEnabled: false });
  await plain.addCookies(cookies);
  const page = await plain.newPage();
  await page.goto(`${desk.url}/console/api`);
  const [response] = await Promise.all([
    page.waitForResponse((each) => each.url().endsWith("/console/api/document")),
    page.getByRole("link", { name: "OpenAPI document as JSON" }).click(),
  ]);
  expect(response.headers()["cache-control"]).toBe("no-store");
  expect(JSON.parse(await response.text())).toMatchObject({ openapi: "3.1.0", info: { license: expect.anything() } });
});
