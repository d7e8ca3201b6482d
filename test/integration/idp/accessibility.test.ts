import axe from "axe-core";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { basicAuth } from "../../support/stack.ts";
import { type IdpStack, startIdpStack } from "./idp-stack.ts";

let idp: IdpStack;
let browser: Browser;

beforeAll(async () => {
  idp = await startIdpStack();
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
});

afterAll(async () => {
  await browser.close();
  await idp[Symbol.asyncDispose]();
});

const rules = `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
  .then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 120)).join(" | ")))`;

test("no rule of WCAG 2.2 AA is broken on any page, light and dark", { timeout: 60_000 }, async () => {
  await using context = await browser.newContext({
    bypassCSP: true,
    viewport: { width: 390, height: 800 },
    extraHTTPHeaders: { authorization: basicAuth },
  });
  const page = await context.newPage();
  await page.route("**/login/webauthn/begin*", (route) => route.abort());
  await page.goto(`${idp.stack.url}/api/v1/dev/ui`);
  const links = await page.locator("h2 a").evaluateAll((found) => found.map((link) => link.getAttribute("href") ?? ""));
  expect(links.length).toBeGreaterThan(20);
  for (const link of [...links, "/api/v1/dev/ui/render/home/ar"]) {
    await page.goto(`${idp.stack.url}${link}`);
    await page.evaluate(axe.source);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      expect([link, colorScheme, await page.evaluate(rules)]).toEqual([link, colorScheme, []]);
    }
  }
});
