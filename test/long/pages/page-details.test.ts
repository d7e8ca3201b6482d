import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scratchFolder } from "@postern/testing";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type IdpStack, startIdpStack } from "../../integration/idp/idp-stack.ts";
import { createBrowser, hiddenFields } from "../../support/browser.ts";
import { sharedChromium } from "../../support/chromium.ts";
import {
  bobsSecret,
  enterCode,
  fillIn,
  follow,
  heading,
  pathOf,
  press,
  shownSecret,
  signInAt,
  soon,
} from "../../support/chromium-user.ts";
import { totpCode } from "../../support/totp-code.ts";

let idp: IdpStack;
let browser: Browser;
let folder: Awaited<ReturnType<typeof scratchFolder>>;

const square = (colour: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="${colour}"/></svg>`;

beforeAll(async () => {
  folder = await scratchFolder();
  const [logo, dark] = [join(folder.path, "logo.svg"), join(folder.path, "dark.svg")];
  await writeFile(logo, square("black"));
  await writeFile(dark, square("white"));
  const branding = { logo_file: logo, logo_file_dark: dark };
  idp = await startIdpStack({ identity: { frontend: { branding } } });
  browser = await sharedChromium();
});

afterAll(async () => {
  await idp[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const home = (): string => `${idp.stack.url}/mfa/register/home`;
const context = (more: BrowserContextOptions = {}): Promise<BrowserContext> =>
  browser.newContext({ locale: "en-US", ...more });
const plain = (more: BrowserContextOptions = {}): Promise<BrowserContext> =>
  context({ javaScriptEnabled: false, ...more });

const signIn = (at: BrowserContext, name: string): Promise<Page> => signInAt(at, home(), name);

const createRecoveryCodes = async (at: BrowserContext): Promise<Page> => {
  const page = await signIn(at, "bob");
  await follow(page, "Authenticator app");
  await enterCode(page, totpCode(bobsSecret), "Verify");
  await page.waitForURL(home());
  await follow(page, "Recovery codes");
  await press(page, "Create new codes");
  await expect.poll(() => heading(page), soon).toBe("Your new recovery codes");
  return page;
};

const seen = async (at: BrowserContext): Promise<string> => {
  const page = await signIn(at, "carol");
  await follow(page, "Signed-in devices");
  return page.locator("time").first().innerText();
};

describe("every page offers a way to continue", () => {
  test("`/` leads to the account page on the front channel", async () => {
    await using at = await plain();
    const page = await at.newPage();
    await page.goto(`${idp.stack.url}/`);
    expect([pathOf(page), await heading(page)]).toEqual(["/login", "Sign in"]);
  });

  test("a bookmarked sign-in page has a link to a new sign-in", async () => {
    await using at = await plain();
    const page = await at.newPage();
    const answer = await page.goto(`${idp.stack.url}/login?flow=bookmarked`);
    expect([answer?.status(), await heading(page)]).toEqual([400, "This page has expired"]);
    await follow(page, "Go to your account");
    await expect.poll(() => heading(page), soon).toBe("Sign in");
  });

  test("the page of a temporary failure has a link to a new attempt", async () => {
    await using at = await plain();
    const page = await at.newPage();
    await page.goto(home());
    const [engine] = idp.stack.engines;
    await engine?.stop();
    await fillIn(page, "alice");
    await expect.poll(() => heading(page), soon).toBe("Temporarily unavailable");
    await idp.stack.startEngine();
    await follow(page, "Try again");
    await fillIn(page, "alice");
    await expect.poll(() => heading(page), soon).toBe("Your account");
  });

  test("without JavaScript, the passkey pages have no buttons", async () => {
    await using at = await plain();
    const page = await signIn(at, "carol");
    await expect.poll(() => heading(page), soon).toBe("Your account");
    await page.goto(`${idp.stack.url}/mfa/webauthn/register`);
    expect([await heading(page), await page.locator("noscript").count()]).toEqual(["Add a passkey", 1]);
    expect(await page.getByRole("button").count()).toBe(0);
  });

  test("a user who cannot use the authenticator app can choose another method", async () => {
    await using at = await plain();
    const page = await signIn(at, "bob");
    await follow(page, "Authenticator app");
    await follow(page, "I can’t use my app");
    expect(await heading(page)).toBe("Two-step verification");
  });
});

describe("the password field", () => {
  test("has a button that shows and hides the password; without JavaScript there is no button", async () => {
    await using at = await context();
    const page = await at.newPage();
    await page.goto(home());
    const field = page.locator("#password");
    const button = page.getByRole("button", { name: "Show password" });
    await field.fill("alice-demo-password");
    await button.click();
    expect([await field.getAttribute("type"), await button.getAttribute("aria-pressed")]).toEqual(["text", "true"]);
    await button.click();
    expect([await field.getAttribute("type"), await field.inputValue()]).toEqual(["password", "alice-demo-password"]);

    await using without = await plain();
    const bare = await without.newPage();
    await bare.goto(home());
    expect(await bare.getByRole("button").allInnerTexts()).toEqual(["Sign in"]);
  });
});

describe("recovery codes", () => {
  test("name their account, even in print, and can be copied and downloaded", async () => {
    await using at = await context();
    await at.grantPermissions(["clipboard-read", "clipboard-write"], { origin: idp.stack.url });
    const page = await createRecoveryCodes(at);
    const codes = await page.locator(".codes code").allInnerTexts();
    expect(codes).toHaveLength(10);
    const downloading = page.waitForEvent("download");
    await press(page, "Download");
    const file = await downloading;
    const text = await readFile(await file.path(), "utf8");
    expect([file.suggestedFilename(), text.split("\n").slice(1, 11)]).toEqual(["recovery-codes.txt", codes]);
    expect(text.split("\n")[0]).toBe("Example Mail, bob@example.test, Recovery codes");
    await press(page, "Copy");
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(text);

    await page.emulateMedia({ media: "print" });
    for (const expectedText of ["Example Mail", "bob@example.test", codes[0] ?? ""]) {
      expect(await page.locator("main").getByText(expectedText).first().isVisible()).toBe(true);
    }
    expect(await page.getByRole("button").count()).toBe(0);
  });
});

describe("times", () => {
  test("are formatted for the browser's region and time zone", async () => {
    await using at = await context({ locale: "en-GB", timezoneId: "Pacific/Kiritimati" });
    const page = await signIn(at, "carol");
    await follow(page, "Signed-in devices");
    const time = page.locator("time").first();
    const moment = new Date((await time.getAttribute("datetime")) ?? "");
    const words = { dateStyle: "medium", timeStyle: "short", timeZone: "Pacific/Kiritimati" } as const;
    expect(await time.innerText()).toBe(new Intl.DateTimeFormat("en-GB", words).format(moment));
  });

  test("are formatted for the browser's region in UTC without JavaScript", async () => {
    await using british = await plain({ locale: "en-GB" });
    expect(await seen(british)).toMatch(/^\d{1,2} [A-Z][a-z]+ \d{4}, \d{2}:\d{2} UTC$/);
    await using american = await plain({ locale: "en-US" });
    expect(await seen(american)).toMatch(/^[A-Z][a-z]+ \d{1,2}, \d{4}, \d{1,2}:\d{2}\s[AP]M UTC$/);
  });
});

test("the tab has an icon, and the dark colours have their own logo", async () => {
  for (const [colorScheme, colour] of [
    ["light", "black"],
    ["dark", "white"],
  ] as const) {
    await using at = await context({ colorScheme });
    const page = await at.newPage();
    await page.goto(home());
    const shown = String(await page.evaluate("document.querySelector('.brand img').currentSrc"));
    expect(await (await page.request.get(shown)).text()).toContain(`fill="${colour}"`);
    const icon = (await page.locator("link[rel=icon]").getAttribute("href")) ?? "";
    const answer = await page.request.get(new URL(icon, idp.stack.url).href);
    expect([answer.status(), answer.headers()["content-type"]]).toEqual([200, "image/svg+xml"]);
  }
});

test("a replacement app can be set up in the time step in which the old app's code was used", async () => {
  const [user, path] = [createBrowser(idp.replicas), "/mfa/totp/register"];
  const login = await user.open("/mfa/register/home");
  const signedIn = await user.submit(login, { username: "alice@example.test", password: "alice-demo-password" });
  expect([signedIn.status, signedIn.location]).toEqual([302, "/mfa/register/home"]);
  const setUp = async (): Promise<number> => {
    const page = await user.open(path);
    const secret = (/<code class="secret">([A-Z2-7 ]+)</.exec(page.text)?.[1] ?? "").replaceAll(" ", "");
    return (await user.submit(page, { code: totpCode(secret, step) })).status;
  };
  const step = Math.floor(Date.now() / 30_000);
  expect([await setUp(), await setUp()]).toEqual([302, 302]);
  await user.post("/mfa/totp", { ...hiddenFields(await user.open(path)), _method: "DELETE" });
});

test("a code that confirmed the set-up is rejected at the next sign-in", async () => {
  await using at = await plain();
  const page = await signIn(at, "alice");
  await follow(page, "Authenticator app");
  const secret = await shownSecret(page);
  const code = totpCode(secret);
  await enterCode(page, code, "Set up");
  await expect.poll(() => heading(page), soon).toBe("Get recovery codes");
  await using again = await plain();
  const second = await signIn(again, "alice");
  await enterCode(second, code, "Verify");
  expect(await second.getByRole("alert").innerText()).toContain("has already been used");
});
