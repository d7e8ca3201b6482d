import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sharedChromium } from "../../support/chromium.ts";
import { bobsSecret, enterCode, fillIn, follow, heading, press, signInAt, soon } from "../../support/chromium-user.ts";
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

async function recoverWith(page: Page, code: string): Promise<void> {
  await page.getByLabel("Recovery code").fill(code);
  await press(page, "Verify");
}

describe("without JavaScript, through the gateway", () => {
  test("a user signs in", async () => {
    await using context = await withoutScript();
    const page = await context.newPage();
    await page.goto(home());
    await fillIn(page, "alice", "wrong");
    expect(await page.getByRole("alert").textContent()).toMatch(/incorrect/i);
    expect(await page.title()).toMatch(/^Error: /);
    await fillIn(page, "alice");
    await expect.poll(() => heading(page), soon).toBe("Your account");
    expect(await page.getByText("Signed in as Alice Example").isVisible()).toBe(true);
  });

  test("a second factor accepts a correct code once, and each recovery code once", async () => {
    await using first = await withoutScript();
    const one = await signIn(first, "bob");
    await expect.poll(() => heading(one), soon).toBe("Two-step verification");
    await follow(one, "Authenticator app");
    await enterCode(one, "000000", "Verify");
    expect(await one.getByRole("alert").textContent()).toMatch(/incorrect/i);
    const code = totpCode(bobsSecret);
    const wide = code.replaceAll(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));
    await enterCode(one, `${wide.slice(0, 3)}–${wide.slice(3)}`, "Verify");
    await expect.poll(() => heading(one), soon).toBe("Your account");

    await using second = await withoutScript();
    const two = await signIn(second, "bob");
    await follow(two, "Authenticator app");
    await enterCode(two, code, "Verify");
    expect(await two.getByRole("alert").textContent()).toContain("has already been used");
    await follow(two, "I can’t use my app");
    await follow(two, "Recovery code");
    await recoverWith(two, "bobs 2345");
    await expect.poll(() => heading(two), soon).toBe("You’re running out of recovery codes");
    expect(await two.getByText("Codes left: 2").isVisible()).toBe(true);
    await follow(two, "Continue");
    await expect.poll(() => heading(two), soon).toBe("Your account");

    await using third = await withoutScript();
    const three = await signIn(third, "bob");
    await follow(three, "Recovery code");
    await recoverWith(three, "BOBS-2345");
    expect(await three.getByRole("alert").textContent()).toContain("has already been used");
    await follow(three, "Try another way");
    await follow(three, "Use another account");
    await expect.poll(() => heading(three), soon).toBe("Sign in");
  });

  test("a page whose flow has expired says so, for GET and for POST", async () => {
    await using context = await withoutScript();
    const page = await context.newPage();
    await page.goto(home());
    await context.clearCookies();
    await fillIn(page, "alice");
    await expect.poll(() => heading(page), soon).toBe("This page has expired");
    const answer = await page.goto(`${idp.stack.url}/login/totp`);
    expect([answer?.status(), await heading(page)]).toEqual([400, "This page has expired"]);
  });

  test.each(["/nothing", "/nothing/at/all", "/login/nothing/at/all"])(
    "%s is a page that says so, and leads to the account",
    async (path) => {
      await using context = await withoutScript();
      const page = await context.newPage();
      const answer = await page.goto(`${idp.stack.url}${path}`);
      expect([answer?.status(), await heading(page)]).toEqual([404, "Page not found"]);
      expect(await layoutProblems(page)).toEqual([]);
      await follow(page, "Go to your account");
      await expect.poll(() => heading(page), soon).toBe("Sign in");
      const program = await fetch(`${idp.stack.url}${path}`);
      expect([program.status, await program.text()]).toEqual([404, expect.not.stringContaining("<")]);
    },
  );
});

test.each([true, false])(
  "a double click signs in, with one request where the page has scripts (%s)",
  async (javaScriptEnabled) => {
    await using context = await browser.newContext({ ...inEnglish, javaScriptEnabled });
    const page = await context.newPage();
    const posts: string[] = [];
    page.on("request", (request) => void (request.method() === "POST" && posts.push(request.url())));
    await page.goto(home());
    await page.getByLabel("Username or email address").fill("alice@example.test");
    await page.getByLabel("Password", { exact: true }).fill("alice-demo-password");
    await page.getByRole("button", { name: "Sign in", exact: true }).dblclick();
    await expect.poll(() => heading(page), soon).toBe("Your account");
    if (javaScriptEnabled) expect(posts).toHaveLength(1);
  },
);
