import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConsoleStack, openConsole, startConsoleStack } from "../../integration/admin/console-stack.ts";
import { axeProblems } from "../../support/axe.ts";
import { sharedChromium } from "../../support/chromium.ts";
import { keyboardProblems, layoutProblems } from "../../support/page-rules.ts";

let desk: ConsoleStack;
let browser: Browser;

beforeAll(async () => {
  desk = await startConsoleStack();
  browser = await sharedChromium();
});

afterAll(async () => {
  await desk[Symbol.asyncDispose]();
});

test("an operator reads the API without scripts: by words, one operation, and a request to copy", async () => {
  await using context = await browser.newContext({ locale: "en-US", javaScriptEnabled: false });
  const page = await openConsole(context, desk, "helen");
  const faults: string[] = [];
  page.on("console", (message) => faults.push(message.text()));
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== desk.url && protocol !== "data:") faults.push(`loads ${request.url()}`);
  });
  await page.getByRole("link", { name: "API", exact: true }).click();
  await page.getByLabel("Only operations with these words").fill("suspend delete");
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("link", { name: "/api/v1/suspensions" }).click();
  expect(await page.getByRole("region", { name: "Request with curl" }).innerText()).toContain("curl -sS -X DELETE");
  expect(faults).toEqual([]);
  expect((await page.goto(`${desk.url}/console/api?operation=noSuchOperation`))?.status()).toBe(404);
});

test("the pages fit 320 and 1280 px, are usable by keyboard, and axe finds nothing", async () => {
  await using context = await browser.newContext({ locale: "en-US", bypassCSP: true });
  const page = await openConsole(context, desk, "sam");
  for (const path of ["/console/api", "/console/api?operation=listDecisions", "/console/api?operation=explain"]) {
    await page.goto(`${desk.url}${path}`);
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect([path, width, await layoutProblems(page)]).toEqual([path, width, []]);
    }
    expect([path, await axeProblems(page)]).toEqual([path, []]);
  }
  expect(await keyboardProblems(page)).toEqual([]);
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

test("the page links the document", async () => {
  await using context = await browser.newContext({ locale: "en-US" });
  const page = await openConsole(context, desk, "sam");
  await page.goto(`${desk.url}/console/api`);
  const [response] = await Promise.all([
    page.waitForResponse((each) => each.url().endsWith("/console/api/document")),
    page.getByRole("link", { name: "OpenAPI document as JSON" }).click(),
  ]);
  expect(response.headers()["cache-control"]).toBe("no-store");
  expect(JSON.parse(await response.text())).toMatchObject({ openapi: "3.1.0", info: { license: expect.anything() } });
});
