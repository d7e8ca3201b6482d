import { digestOf } from "@postern/shared/platform/crypto";
import { passkeyAttemptsKey } from "@postern/shared/platform/redis";
import { poll } from "@postern/testing";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../../../tools/pages/chromium.ts";
import { enterAt, fillIn, tabTo } from "../../support/chromium-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { type IdpStack, startIdpStack } from "./idp-stack.ts";

let idp: IdpStack;
let browser: Browser;
const origin = "http://localhost:8080";
const home = `${origin}/mfa/register/home`;

beforeAll(async () => {
  idp = await startIdpStack();
  const { host } = new URL(idp.stack.url);
  // Passkeys are bound to the issuer's host, so the browser resolves it to the gateway.
  browser = await launchChromium([`--host-resolver-rules=MAP localhost:8080 ${host}`]);
});

afterAll(async () => {
  await browser.close();
  await idp[Symbol.asyncDispose]();
});

interface Device extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  /** The user names of the passkeys that the authenticator holds. */
  readonly passkeyNames: () => Promise<readonly string[]>;
  /** Makes the authenticator know its passkeys under another user name. */
  readonly misname: (userName: string) => Promise<void>;
  /** Exchanges the authenticator's passkey for one that the account does not have. */
  readonly makeStale: () => Promise<void>;
}

/** A browser with a virtual authenticator that verifies its user without interaction. */
async function newDevice(isUserVerified = true): Promise<Device> {
  const context = await browser.newContext({ locale: "en-US" });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified,
      automaticPresenceSimulation: true,
    },
  });
  const passkeys = async () => (await devtools.send("WebAuthn.getCredentials", { authenticatorId })).credentials;
  const misname = async (userName: string): Promise<void> => {
    for (const credential of await passkeys()) {
      await devtools.send("WebAuthn.removeCredential", { authenticatorId, credentialId: credential.credentialId });
      await devtools.send("WebAuthn.addCredential", { authenticatorId, credential: { ...credential, userName } });
    }
  };
  const makeStale = async (): Promise<void> => {
    const [credential] = await passkeys();
    if (credential === undefined) throw new Error("the authenticator has no passkey");
    const stale = { ...credential, credentialId: Buffer.from("a passkey of the past").toString("base64") };
    await devtools.send("WebAuthn.removeCredential", { authenticatorId, credentialId: credential.credentialId });
    await devtools.send("WebAuthn.addCredential", { authenticatorId, credential: stale });
  };
  const passkeyNames = async () => (await passkeys()).map(({ userName = "" }) => userName);
  return { context, page, passkeyNames, misname, makeStale, [Symbol.asyncDispose]: () => context.close() };
}

async function signIn(page: Page, name: string): Promise<void> {
  await page.goto(home);
  await fillIn(page, name);
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.goto(`${origin}/mfa/webauthn/register`);
  await page.getByLabel("Name").fill(name);
  await page.getByRole("button", { name: "Add passkey" }).click();
}

describe("a passkey", () => {
  test("is rejected if the device does not verify the user", async () => {
    await using device = await newDevice(false);
    const { page } = device;
    await signIn(page, "alice");
    await addPasskey(page, "Unverified");
    await page.locator("[data-problem]:visible").waitFor();
    await page.goto(`${origin}/mfa/webauthn/devices`);
    await page.getByText("You don’t have any passkeys yet.").waitFor();
    expect(await page.locator(".things li").count()).toBe(0);
  });

  test("can be added, used without a user name, renamed and removed", async () => {
    await using device = await newDevice();
    const { page, context } = device;
    await signIn(page, "alice");
    await addPasskey(page, "Laptop");
    await page.getByRole("heading", { name: "Get recovery codes" }).waitFor();
    expect(await page.getByRole("status").innerText()).toBe("Passkey added.");
    await page.goto(`${origin}/mfa/webauthn/devices`);
    await page.getByText("Laptop").first().waitFor();

    // The same device cannot be added twice.
    await addPasskey(page, "Again");
    await page.getByText("This device already has a passkey for your account.").waitFor();

    // Signs in without a user name, by conditional mediation or with the button.
    await context.clearCookies();
    await page.goto(home);
    await page.waitForURL(home);
    if (new URL(page.url()).pathname === "/login") {
      await page.getByRole("button", { name: "Sign in with a passkey" }).click();
      await page.waitForURL(home);
    }
    await page.getByText("Signed in as Alice Example").waitFor();

    await device.misname("former-name");
    await page.goto(`${origin}/mfa/webauthn/devices`);
    await poll("the password manager to get the current name", async () =>
      (await device.passkeyNames()).every((name) => name !== "former-name"),
    );
    expect(await device.passkeyNames()).toHaveLength(1);
    await page.getByText("Rename").click();
    await page.getByLabel("New name").fill("Work laptop");
    await page.getByRole("button", { name: "Save name" }).click();
    await page.getByText("Work laptop").first().waitFor();
    await page.getByRole("link", { name: /^Remove\s+Work laptop$/ }).click();
    await page.getByRole("heading", { name: "Remove “Work laptop”?" }).waitFor();
    await page.getByText("Your password alone will be enough").waitFor();
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByText("Passkey removed.").waitFor();
    await page.getByText("You don’t have any passkeys yet.").waitFor();
    expect(await page.locator(".things li").count()).toBe(0);
    await poll("the password manager to hide the passkey", async () => (await device.passkeyNames()).length === 0);
  });

  test("signs in although the button is clicked while the page still asks for the passkey that it offers by itself", async () => {
    await using device = await newDevice();
    const { page, context } = device;
    await signIn(page, "alice");
    await addPasskey(page, "Early");
    await page.getByText("Passkey added.").waitFor();
    await context.clearCookies();
    const offered = Promise.withResolvers<void>();
    const clicked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    let requests = 0;
    await page.route("**/login/webauthn/begin*", async (route) => {
      requests += 1;
      if (requests > 1) return route.continue();
      offered.resolve();
      await clicked.promise;
      await route.continue();
      await route.request().response();
      answered.resolve();
    });
    await page.route("**/login/webauthn/finish*", async (route) => {
      await answered.promise;
      await route.continue();
    });
    await page.goto(home);
    await offered.promise;
    const second = page.waitForResponse("**/login/webauthn/begin*");
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    // A request of the click would be answered before the one that is held.
    await page.evaluate("fetch(location.href)");
    if (requests > 1) await second;
    clicked.resolve();
    await page.getByRole("heading", { name: "Your account" }).waitFor();
    expect(requests).toBe(2);
    await page.goto(`${origin}/mfa/webauthn/devices`);
    await page.getByRole("link", { name: /^Remove\s+Early$/ }).click();
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByText("Passkey removed.").waitFor();
  });

  test("is requested after the password, on a page that says that it needs JavaScript", async () => {
    await using device = await newDevice();
    const { page, context } = device;
    await signIn(page, "carol");
    await addPasskey(page, "Phone");
    await page.getByText("Passkey added.").waitFor();
    await context.clearCookies();
    // Blocks the passkey request that the login page sends when it loads, so that the password comes first.
    await page.route("**/login/webauthn/begin*", (route) =>
      page.url().includes("/login?") ? route.abort() : route.continue(),
    );
    await signIn(page, "carol");
    await page.waitForURL(/\/login\/webauthn|\/login\/mfa/);
    if (page.url().includes("/login/mfa")) await page.getByText("Passkey or security key").click();
    expect(await page.locator("noscript").count()).toBe(1);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.waitForURL(home);
    await page.getByText("Signed in as Carol Example").waitFor();
  });

  test("can be added, renamed and removed with the keyboard only", async () => {
    await using device = await newDevice();
    const { page } = device;
    const { keyboard } = page;
    await signIn(page, "bob");
    await page.getByRole("link", { name: "Recovery code" }).click();
    await page.getByLabel("Recovery code").fill("BOBS-2345");
    await keyboard.press("Enter");
    await page.getByRole("heading", { name: "You’re running out of recovery codes" }).waitFor();
    await enterAt(page, "Continue", "Your account");
    await enterAt(page, "Passkeys", "Passkeys");
    await enterAt(page, "Add a passkey", "Add a passkey");
    await tabTo(page, "Name");
    await keyboard.type("Laptop");
    await keyboard.press("Enter");
    await page.waitForURL(`${origin}/mfa/webauthn/devices`);
    await tabTo(page, "Rename");
    await keyboard.press("Enter");
    await tabTo(page, "New name");
    await keyboard.press("ControlOrMeta+a");
    await keyboard.type("Work laptop");
    await keyboard.press("Enter");
    await page.getByText("Work laptop").first().waitFor();
    await enterAt(page, "Remove Work laptop", "Remove “Work laptop”?");
    await tabTo(page, "Remove");
    await keyboard.press("Enter");
    await page.getByText("You don’t have any passkeys yet.").waitFor();
    expect(await page.locator(".things li").count()).toBe(0);
  });

  test("that was removed elsewhere disappears from the password manager when it is used", async () => {
    await using device = await newDevice();
    const { page, context } = device;
    // The removal does not reach this password manager.
    await context.addInitScript("delete PublicKeyCredential.signalAllAcceptedCredentials");
    await signIn(page, "alice");
    await addPasskey(page, "Lost");
    await page.getByText("Passkey added.").waitFor();
    await page.goto(`${origin}/mfa/webauthn/devices`);
    await page.getByRole("link", { name: /^Remove\s+Lost$/ }).click();
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByText("Passkey removed.").waitFor();
    expect(await device.passkeyNames()).toHaveLength(1);
    await context.clearCookies();
    await page.goto(home);
    await poll("the password manager to drop it", async () => (await device.passkeyNames()).length === 0);
  });

  test("is listed to the password manager on the account page, unless it was just added", async () => {
    await using device = await newDevice();
    const { page } = device;
    await signIn(page, "alice");
    await addPasskey(page, "Laptop");
    await page.getByText("Passkey added.").waitFor();
    await device.misname("former-name");
    await device.makeStale();
    await page.goto(home);
    await poll("the current name", async () => !(await device.passkeyNames()).includes("former-name"));
    expect(await device.passkeyNames()).toHaveLength(1);
    await page.evaluate("localStorage.clear()");
    await page.goto(home);
    await poll("the password manager to drop it", async () => (await device.passkeyNames()).length === 0);
  });

  test("is rate-limited after too many failures from its network", async () => {
    await using device = await newDevice();
    const { page, context } = device;
    await signIn(page, "bob");
    await page.getByRole("link", { name: "Recovery code" }).click();
    await page.getByLabel("Recovery code").fill("BOBS-6789");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Continue" }).click();
    await addPasskey(page, "Tablet");
    await page.waitForURL(`${origin}/mfa/webauthn/devices`);
    const redis = await testRedis(idp.stack.redis?.port ?? 0);
    const count = passkeyAttemptsKey.build("postern:", digestOf("127.0.0.1").toString("base64url"));
    await redis.set(count, "60", "EX", 600);
    await context.clearCookies();
    // The page that asks for the user name reports the limit.
    await page.goto(home);
    await page.getByText("Too many attempts. Try again in 10 minutes.").waitFor();
    expect(new URL(page.url()).pathname).toBe("/login");
    await redis.del(count);
    redis.disconnect();
  });
});
