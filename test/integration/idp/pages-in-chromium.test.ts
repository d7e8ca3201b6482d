import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { basicAuth } from "../../support/stack.ts";
import { type IdpStack, startIdpStack } from "./idp-stack.ts";

let idp: IdpStack;
let browser: Browser;
const pictures = fileURLToPath(new URL("../../../.run/test/pages/", import.meta.url));

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true });
  idp = await startIdpStack();
  // The tests may run as root, where Chromium's sandbox does not start; it sees our own pages only.
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
});

afterAll(async () => {
  await browser.close();
  await idp[Symbol.asyncDispose]();
});

const home = (): string => `${idp.stack.url}/mfa/register/home`;

async function signIn(page: Page): Promise<void> {
  await page.getByLabel("User name or email address").fill("alice@example.test");
  await page.getByLabel("Password").fill("alice-demo-password");
  await page.getByRole("button", { name: "Sign in" }).click();
}

describe("without script, through the gateway", () => {
  test("a user signs in", async () => {
    await using context = await browser.newContext({ javaScriptEnabled: false, locale: "en-US" });
    const page = await context.newPage();
    await page.goto(home());
    await page.getByLabel("User name or email address").fill("alice@example.test");
    await page.getByLabel("Password").fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    expect(await page.getByRole("alert").textContent()).toContain("not right");
    expect(await page.title()).toMatch(/^Error: /);
    await signIn(page);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Your account");
    expect(await page.getByText("Signed in as Alice Example").isVisible()).toBe(true);
  });

  test("two tabs sign in apart", async () => {
    await using context = await browser.newContext({ javaScriptEnabled: false, locale: "en-US" });
    const [one, two] = [await context.newPage(), await context.newPage()];
    await one.goto(home());
    await two.goto(home());
    for (const page of [one, two]) {
      await signIn(page);
      expect(new URL(page.url()).pathname).toBe("/mfa/register/home");
    }
  });

  test("the keyboard alone is enough", async () => {
    await using context = await browser.newContext({ locale: "en-US" });
    const page = await context.newPage();
    await page.goto(home());
    await page.locator("#username:focus").waitFor();
    await page.keyboard.type("alice@example.test");
    await page.keyboard.press("Tab");
    await page.keyboard.type("alice-demo-password");
    await page.keyboard.press("Enter");
    await page.waitForURL(home(), { timeout: 10_000 });
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Your account");
  });
});

describe.each([
  ["light", 360],
  ["dark", 360],
  ["light", 1100],
  ["dark", 1100],
  ["light", 320],
] as const)("%s, %d px wide", (colorScheme, width) => {
  test("each page stays within the screen, loads nothing of anybody else, and breaks no rule of its policy", async () => {
    // The script of passkeys would ask for the sign-in that a sample does not have.
    await using context = await browser.newContext({
      javaScriptEnabled: false,
      colorScheme,
      viewport: { width, height: 760 },
      extraHTTPHeaders: { authorization: basicAuth },
    });
    const page = await context.newPage();
    const foreign: string[] = [];
    const complaints: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(idp.stack.url) && !request.url().startsWith("data:")) foreign.push(request.url());
    });
    page.on("console", (message) => complaints.push(message.text()));
    await page.goto(`${idp.stack.url}/api/v1/dev/ui`);
    const links = await page
      .locator("h2 a")
      .evaluateAll((found) => found.map((link) => link.getAttribute("href") ?? ""));
    expect(links.length).toBeGreaterThan(10);
    for (const link of [...links, ...["ar", "de", "ru"].map((tag) => `/api/v1/dev/ui/render/consent/${tag}`)]) {
      await page.goto(`${idp.stack.url}${link}`);
      const tooWide = await page.evaluate("document.documentElement.scrollWidth > window.innerWidth");
      expect([link, tooWide]).toEqual([link, false]);
      const name = link.split("/render/")[1]?.replace("/", "-") ?? "";
      if (width !== 320) await page.screenshot({ path: join(pictures, `${name}-${colorScheme}-${width}.png`) });
    }
    expect([foreign, complaints]).toEqual([[], []]);
  });
});
