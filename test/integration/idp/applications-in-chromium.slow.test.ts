import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { freePort } from "@postern/testing";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../../../tools/pages/chromium.ts";
import { fillIn, follow, heading, pathOf, press, setUpApp, soon } from "../../support/chromium-user.ts";
import { type IdpStack, startIdpStack } from "./idp-stack.ts";

let idp: IdpStack;
let browser: Browser;
const issuer = "http://localhost:8080";
const home = `${issuer}/mfa/register/home`;
const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

/** The site of an application: accepts every redirect. */
const site = createServer((_request, response) => response.end("the application"));
let callback: string;

const application = (clientId: string, name: string, more: object) => ({
  client_id: clientId,
  name,
  token_endpoint_auth_method: "none",
  redirect_uris: [callback],
  scopes: ["openid", "email"],
  grant_types: ["authorization_code"],
  ...more,
});

const clients = () => [
  application("mail", "Webmail", {
    consent_mode: "granular_optional",
    optional_scopes: ["email"],
    logo_uri: "https://logo.example.test/webmail.svg",
  }),
  application("strict", "Payroll", { require_mfa: ["totp"], skip_consent: true }),
  application("tv", "Living room", { redirect_uris: [], grant_types: [deviceGrant] }),
];

beforeAll(async () => {
  const port = await freePort();
  site.listen(port, "127.0.0.1");
  callback = `http://127.0.0.1:${port}/callback`;
  idp = await startIdpStack({ identity: { oidc: { enabled: true, issuer, clients: clients() } } });
  const { host } = new URL(idp.stack.url);
  browser = await launchChromium([`--host-resolver-rules=MAP localhost:8080 ${host}`]);
});

afterAll(async () => {
  await browser.close();
  site.close();
  await idp[Symbol.asyncDispose]();
});

const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="teal"/></svg>';

/** A browser without JavaScript. */
const newContext = (): Promise<BrowserContext> => browser.newContext({ locale: "en-US", javaScriptEnabled: false });

async function open(context: BrowserContext, clientId: string): Promise<Page> {
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: callback,
    response_type: "code",
    scope: "openid email",
    state: "s",
    code_challenge: createHash("sha256").update("verifier-".repeat(6)).digest("base64url"),
    code_challenge_method: "S256",
  });
  const page = await context.newPage();
  await page.goto(`${issuer}/oidc/authorize?${query.toString()}`);
  return page;
}

/** Where the browser is, and the response that the application received. */
const redirectResult = (page: Page): readonly (string | boolean | null)[] => {
  const { origin, pathname, searchParams } = new URL(page.url());
  return [origin + pathname, searchParams.has("code"), searchParams.get("error")];
};

describe("an application that requests a sign-in", () => {
  test("receives a code after consent, and is listed until the user removes its access", async () => {
    await using context = await newContext();
    const page = await open(context, "mail");
    expect(await page.locator(".lead").textContent()).toContain("Webmail");
    await fillIn(page, "alice");
    await expect.poll(() => heading(page), soon).toBe("Allow Webmail to access your account?");
    await page.getByLabel("See your email address").uncheck();
    await press(page, "Allow");
    await expect.poll(() => redirectResult(page), soon).toEqual([callback, true, null]);
    await page.goto(home);
    await follow(page, "Connected applications");
    await press(page, "Remove access Webmail");
    expect(await page.getByText("No applications have access to your account.").isVisible()).toBe(true);
  });

  test("is shown with its logo, or with its name alone if the logo does not load", async () => {
    for (const [answer, width] of [
      [{ status: 200, contentType: "image/svg+xml", body: logo }, 40],
      [{ status: 404, body: "" }, 0],
    ] as const) {
      await using context = await newContext();
      const requests: string[] = [];
      await context.route("https://**/*", async (route) => {
        requests.push(`${route.request().url()} ${route.request().headers()["referer"] ?? "no referrer"}`);
        await route.fulfill(answer);
      });
      const page = await open(context, "mail");
      await fillIn(page, "carol");
      await expect.poll(() => heading(page), soon).toBe("Allow Webmail to access your account?");
      expect(await page.locator(".client").getByText("Webmail").isVisible()).toBe(true);
      expect(requests).toEqual(["https://logo.example.test/webmail.svg no referrer"]);
      expect((await page.locator(".client img").boundingBox())?.width ?? 0).toBe(width);
      const policy = (await page.goto(page.url()))?.headers()["content-security-policy"] ?? "";
      expect(policy).toContain("img-src 'self' data: https://logo.example.test;");
    }
  });

  test("can be used with an account other than the signed-in one", async () => {
    await using context = await newContext();
    const page = await open(context, "mail");
    await fillIn(page, "carol");
    await expect.poll(() => heading(page), soon).toBe("Allow Webmail to access your account?");
    await page.getByText("Signed in as Carol").or(page.getByText("Signed in as carol")).first().waitFor();
    await follow(page, "Use another account");
    await expect.poll(() => heading(page), soon).toBe("Sign in");
    expect(await page.locator("#username").inputValue()).toBe("");
    await fillIn(page, "alice");
    await expect.poll(() => heading(page), soon).toBe("Allow Webmail to access your account?");
    await page.getByText(/Signed in as alice/iu).waitFor();
    await press(page, "Don’t allow");
    await expect.poll(() => heading(page), soon).toBe("You didn’t allow access");
    await page.goto(home);
    await page.getByText("Signed in as Alice Example").waitFor();
  });

  test("receives access_denied when the user refuses and returns to it", async () => {
    await using context = await newContext();
    const page = await open(context, "mail");
    await fillIn(page, "alice");
    await press(page, "Don’t allow");
    await expect.poll(() => heading(page), soon).toBe("You didn’t allow access");
    await follow(page, "Return to Webmail");
    await expect.poll(() => redirectResult(page), soon).toEqual([callback, false, "access_denied"]);
  });

  test("receives its code even if the user signs in to another page in a second tab meanwhile", async () => {
    await using context = await newContext();
    const [mail, self] = [await open(context, "mail"), await context.newPage()];
    await self.goto(home);
    await fillIn(self, "carol");
    await expect.poll(() => heading(self), soon).toBe("Your account");
    await fillIn(mail, "carol");
    await press(mail, "Allow");
    await expect.poll(() => redirectResult(mail), soon).toEqual([callback, true, null]);
  });

  test("does not get the browser back once the flow has expired", async () => {
    await using context = await newContext();
    const page = await open(context, "mail");
    await context.clearCookies();
    await fillIn(page, "alice");
    await expect.poll(() => heading(page), soon).toBe("This page has expired");
  });
});

describe("an application that requires a second factor", () => {
  test("lets the user cancel the enrolment, which signs the user out", async () => {
    await using context = await newContext();
    const page = await open(context, "strict");
    await fillIn(page, "carol");
    await expect.poll(() => heading(page), soon).toBe("Set up an authenticator app");
    expect(await page.getByText("requires this step").isVisible()).toBe(true);
    await follow(page, "Cancel and sign out");
    await expect.poll(() => heading(page), soon).toBe("You’re signed out");
    expect((await page.goto(`${issuer}/mfa/sessions`))?.status()).toBe(401);
  });

  test("receives its code once the factor is set up", async () => {
    await using context = await newContext();
    const page = await open(context, "strict");
    await fillIn(page, "carol");
    await setUpApp(page);
    await expect.poll(() => redirectResult(page), soon).toEqual([callback, true, null]);
  });
});

async function requestDeviceCode(): Promise<Readonly<Record<string, unknown>>> {
  const body = new URLSearchParams({ client_id: "tv", scope: "openid email" });
  return Object(await (await fetch(`${idp.stack.url}/oidc/device`, { method: "POST", body })).json());
}

async function enterDeviceCode(page: Page, code: unknown): Promise<void> {
  await page.getByLabel("Code").fill(String(code));
  await press(page, "Continue");
}

describe("a device", () => {
  test("is connected after its code, the password and a confirmation; a wrong code is rejected", async () => {
    await using context = await newContext();
    const page = await context.newPage();
    const device = await requestDeviceCode();
    await page.goto(String(device["verification_uri"]));
    await enterDeviceCode(page, "BCDF-GHJK");
    expect(await page.getByRole("alert").textContent()).toMatch(/incorrect/i);
    await enterDeviceCode(page, device["user_code"]);
    await fillIn(page, "alice");
    await expect.poll(() => heading(page), soon).toBe("Connect this device?");
    expect(await page.locator(".usercode").textContent()).toBe(device["user_code"]);
    await press(page, "Connect");
    await expect.poll(() => heading(page), soon).toBe("Your device is connected");
  });

  test("is not connected if the user cancels, and its code is invalid afterwards", async () => {
    await using context = await newContext();
    const page = await context.newPage();
    const device = await requestDeviceCode();
    await page.goto(String(device["verification_uri_complete"]));
    await press(page, "Continue");
    await fillIn(page, "alice");
    await press(page, "Cancel");
    await expect.poll(() => heading(page), soon).toBe("Your device isn’t connected");
    await follow(page, "Enter another code");
    await enterDeviceCode(page, device["user_code"]);
    expect(await page.getByRole("alert").textContent()).toMatch(/incorrect/i);
  });
});

test("signing out requires a confirmation, can be cancelled, and ends the session", async () => {
  await using context = await newContext();
  const page = await context.newPage();
  await page.goto(home);
  await fillIn(page, "alice");
  await follow(page, "Sign out");
  await expect.poll(() => heading(page), soon).toBe("Sign out?");
  await follow(page, "Stay signed in");
  await expect.poll(() => heading(page), soon).toBe("Your account");
  await follow(page, "Sign out");
  await press(page, "Sign out");
  await expect.poll(() => heading(page), soon).toBe("You’re signed out");
  expect(pathOf(page)).toBe("/logged_out");
  await follow(page, "Sign in again");
  await expect.poll(() => heading(page), soon).toBe("Sign in");
});
