import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sharedChromium } from "../../support/chromium.ts";
import {
  enterAt,
  enterCode,
  fillIn,
  follow,
  heading,
  pathOf,
  press,
  shownSecret,
  signInAt,
  soon,
  tabTo,
} from "../../support/chromium-user.ts";
import { layoutProblems } from "../../support/page-rules.ts";
import { totpCode } from "../../support/totp-code.ts";
import { type IdpStack, startIdpStack } from "./idp-stack.ts";

let idp: IdpStack;
let browser: Browser;

beforeAll(async () => {
  idp = await startIdpStack();
  browser = await sharedChromium();
});

afterAll(async () => {
  await idp[Symbol.asyncDispose]();
});

const home = (): string => `${idp.stack.url}/mfa/register/home`;
const inEnglish = { locale: "en-US" };
const withoutScript = (): Promise<BrowserContext> => browser.newContext({ ...inEnglish, javaScriptEnabled: false });

const signIn = (context: BrowserContext, name: string): Promise<Page> => signInAt(context, home(), name);

describe("without JavaScript, through the gateway", () => {
  test("two tabs sign in independently", async () => {
    await using context = await withoutScript();
    const [one, two] = [await context.newPage(), await context.newPage()];
    await one.goto(home());
    await two.goto(home());
    for (const page of [one, two]) {
      await fillIn(page, "alice");
      await expect.poll(() => pathOf(page), soon).toBe("/mfa/register/home");
    }
  });

  test("a user sets up an authenticator app, creates recovery codes, and removes both", async () => {
    await using context = await withoutScript();
    const page = await signIn(context, "alice");
    await follow(page, "Authenticator app");
    const secret = await shownSecret(page);
    await enterCode(page, "000000", "Set up");
    expect(await page.getByRole("alert").textContent()).toMatch(/incorrect/i);
    expect(await shownSecret(page)).toBe(secret);
    await enterCode(page, totpCode(secret), "Set up");
    await expect.poll(() => heading(page), soon).toBe("Get recovery codes");
    await press(page, "Create recovery codes");
    expect(await page.locator(".codes li").count()).toBe(10);
    await press(page, "I’ve saved these codes");
    expect(await page.getByText("Codes left: 10").isVisible()).toBe(true);
    await follow(page, "Authenticator app");
    await follow(page, "Remove authenticator app");
    await expect.poll(() => heading(page), soon).toBe("Remove your authenticator app?");
    await follow(page, "Cancel");
    await follow(page, "Remove authenticator app");
    await press(page, "Remove");
    expect(await page.getByRole("status").innerText()).toContain("Your recovery codes were also deleted.");
    expect(await page.getByText("Codes left: 0").isVisible()).toBe(true);
  });

  test("a user deletes an app password and signs out other devices, which then see that they are signed out", async () => {
    await using context = await withoutScript();
    await using other = await withoutScript();
    const page = await signIn(context, "carol");
    const elsewhere = await signIn(other, "carol");
    await follow(page, "App passwords");
    await page.getByLabel("App or device name").fill("Tablet");
    await press(page, "Create app password");
    expect(await page.locator("dd").last().innerText()).toMatch(/^app-[\w-]{30,}$/);
    await follow(page, "Back");
    await follow(page, "Delete Tablet");
    await expect.poll(() => heading(page), soon).toBe("Delete the app password “Tablet”?");
    await follow(page, "Cancel");
    await follow(page, "Delete Tablet");
    await press(page, "Delete");
    expect(await page.getByText("Tablet").count()).toBe(0);
    await follow(page, "Back");
    await follow(page, "Signed-in devices");
    await press(page, "Sign out on all other devices");
    expect(await page.locator(".things li").count()).toBe(1);
    const answer = await elsewhere.goto(`${idp.stack.url}/mfa/sessions`);
    expect([answer?.status(), await heading(elsewhere)]).toEqual([401, "Sign in to continue"]);
    await follow(elsewhere, "Sign in");
    await expect.poll(() => heading(elsewhere), soon).toBe("Sign in");
  });

  test("every page from the sign-in to the account is right-to-left in Arabic and fits a narrow phone", async () => {
    await using context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 320, height: 640 } });
    const page = await context.newPage();
    await page.goto(`${home()}/ar`);
    for (const password of ["wrong", "carol-demo-password"]) {
      expect([await page.locator("html").getAttribute("dir"), await layoutProblems(page)]).toEqual(["rtl", []]);
      await page.locator("#username").fill("carol@example.test");
      await page.locator("#password").fill(password);
      await page.locator("#password").press("Enter");
    }
    await page.waitForURL(`${home()}/ar`);
    expect(await layoutProblems(page)).toEqual([]);
  });
});

describe("a user with a keyboard only", () => {
  test("signs in with a second factor, and makes and deletes an app password", async () => {
    await using context = await browser.newContext(inEnglish);
    const page = await context.newPage();
    const { keyboard } = page;
    await page.goto(home());
    await page.locator("#username:focus").waitFor();
    await keyboard.type("carol@example.test");
    await keyboard.press("Tab");
    await keyboard.type("carol-demo-password");
    await keyboard.press("Enter");
    await page.waitForURL(home());
    await enterAt(page, "Authenticator app", "Set up an authenticator app");
    await tabTo(page, "Can’t scan it?");
    await keyboard.press("Enter");
    const secret = (await page.locator("code.secret").innerText()).replaceAll(" ", "");
    await tabTo(page, "Six-digit code");
    await keyboard.type(totpCode(secret));
    await keyboard.press("Enter");
    // Carol has recovery codes already, so the page does not offer any.
    await page.waitForURL(home());
    await enterAt(page, "App passwords", "App passwords");
    await tabTo(page, "App or device name");
    await keyboard.type("Tablet");
    await keyboard.press("Enter");
    await page.getByText("Your new app password").waitFor();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await tabTo(page, "Copy");
    await keyboard.press("Enter");
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toMatch(/^app(?:-[a-z0-9]{6}){5}$/);
    await enterAt(page, "Back", "App passwords");
    await enterAt(page, "Delete Tablet", "Delete the app password “Tablet”?");
    await tabTo(page, "Delete");
    await keyboard.press("Enter");
    await page.locator("main", { hasNotText: "Tablet" }).waitFor();

    // The code field has the focus when the page opens.
    await using another = await browser.newContext(inEnglish);
    const later = await signIn(another, "carol");
    await enterAt(later, "Authenticator app", "Enter your code");
    await later.locator("#code:focus").waitFor();
    // The set-up used the code of this time step; the next one is within the tolerated clock difference.
    await later.keyboard.type(totpCode(secret, Math.floor(Date.now() / 30_000) + 1));
    await later.keyboard.press("Enter");
    await expect.poll(() => heading(later), soon).toBe("Your account");
  });
});
