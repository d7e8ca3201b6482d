import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, createBrowser, hiddenFields, type Page } from "../../support/browser.ts";
import { type MailClient, type MailIssuer, registerMailClient } from "../../support/mail-client.ts";
import { askReplicas } from "../../support/oidc-stack.ts";
import { totpCode } from "../../support/totp-code.ts";
import { follow, issuer } from "./authorization.ts";
import { type IdpStack, startIdpStack } from "./idp-stack.ts";

let idp: IdpStack;
let site: MailIssuer;
const bobsSecret = "JBSWY3DPEHPK3PXP";
const registration = { enabled: true, per_minute: 1000, max_pending_per_network: 1000 };

beforeAll(async () => {
  idp = await startIdpStack(
    { identity: { oidc: { enabled: true, issuer, mail_registration: registration } } },
    { gateway: false },
  );
  site = { issuer, replicas: idp.replicas, ask: askReplicas(idp.replicas) };
});

afterAll(() => idp[Symbol.asyncDispose]());

/** Opens the session in another browser, where a sign-in does not replace the one that waits in the first. */
function copyOf(browser: Browser, replicas: readonly string[] = idp.replicas): Browser {
  const copy = createBrowser(replicas);
  const session = browser.cookies.get("service_session");
  if (session !== undefined) copy.cookies.set("service_session", session);
  return copy;
}

async function signInTo(
  mail: MailClient,
  browser: Browser,
  more: Readonly<Record<string, string>> = {},
): Promise<Page> {
  return follow(browser, await mail.toConsent(browser, more));
}

async function enterPassword(browser: Browser, login: Page, name: string): Promise<Page> {
  const fields = { username: `${name}@example.test`, password: `${name}-demo-password` };
  return follow(browser, await browser.submit(login, fields));
}

/** Neither a code in the address nor a button that would lead to one. */
function expectNoAccess(page: Page): void {
  expect(page.location ?? "").not.toContain("code=");
  expect(page.text).not.toContain('value="allow"');
}

async function allow(mail: MailClient, browser: Browser, consent: Page) {
  expect(consent.text).toContain('value="allow"');
  return mail.redeem(await follow(browser, await browser.submit(consent, { submit: "allow" })));
}

test("a mail client of a user with a second factor obtains tokens only after the factor", async () => {
  const mail = await registerMailClient(site, { client_name: "Courier" });
  const browser = createBrowser(idp.replicas);
  const choice = await enterPassword(browser, await signInTo(mail, browser), "bob");
  expect(choice.url).toMatch(/^\/login\/mfa\?/u);
  expectNoAccess(choice);
  // The password alone has not signed the browser in.
  expect((await signInTo(mail, copyOf(browser))).url).toMatch(/^\/login\?/u);
  const silent = await signInTo(mail, copyOf(browser), { prompt: "none" });
  expect(new URL(silent.location ?? "").searchParams.get("error")).toBe("login_required");

  const factor = await browser.get(choice.url.replace("/login/mfa", "/login/totp"));
  expectNoAccess(await follow(browser, await browser.submit(factor, { code: "000000" })));
  const consent = await follow(browser, await browser.submit(factor, { code: totpCode(bobsSecret) }));
  const tokens = await allow(mail, browser, consent);
  expect((await mail.refresh(tokens.refresh_token ?? "")).access_token).toBeDefined();
});

test("a factor that mail clients demand is set up and used before a token is issued, and cannot be removed meanwhile", async () => {
  const mail = await registerMailClient(site, { client_name: "Courier" });
  const browser = createBrowser(idp.replicas);
  const consent = await enterPassword(browser, await signInTo(mail, browser), "alice");
  expect(consent.text).toContain('value="allow"');

  await idp.stack.writeSettings({
    identity: { oidc: { mail_registration: { ...registration, require_mfa: ["totp"] } } },
  });
  for (const process of idp.processes) process.signal("SIGHUP");
  for (const replica of idp.replicas) {
    const one = copyOf(browser, [replica]);
    await poll("the demand", async () => (await signInTo(mail, one)).url.startsWith("/login?"));
  }
  // The session without a factor is no longer enough, even for a consent page that is already open.
  const late = await follow(browser, await browser.submit(consent, { submit: "allow" }));
  expectNoAccess(late);
  const silent = await signInTo(mail, copyOf(browser), { prompt: "none" });
  expect(new URL(silent.location ?? "").searchParams.get("error")).toMatch(/^(?:login|interaction)_required$/u);

  const setup = await enterPassword(browser, await signInTo(mail, browser), "alice");
  expect(setup.url).toBe("/mfa/totp/register");
  expectNoAccess(setup);
  expect((await signInTo(mail, copyOf(browser))).url).toMatch(/^\/login\?/u);
  const secret = (/<code class="secret">([A-Z2-7 ]+)</u.exec(setup.text)?.[1] ?? "").replaceAll(" ", "");
  const consentPage = await follow(browser, await browser.submit(setup, { code: totpCode(secret) }));
  expect(await allow(mail, browser, consentPage)).toHaveProperty("refresh_token");

  const headers = { "sec-fetch-site": "same-origin", origin: issuer };
  const removal = async () => (await browser.send("/api/v1/mfa/totp", { method: "DELETE", headers })).status;
  expect(await removal()).toBe(403);
  const devices = await browser.get("/mfa/sessions");
  const [, action = ""] = /<b><bdi>Courier<\/bdi><\/b>.*?action="([^"]+)"/su.exec(devices.text) ?? [];
  await browser.post(action, { csrf_token: hiddenFields(devices)["csrf_token"] ?? "", _method: "DELETE" });
  expect(await removal()).toBeLessThan(300);
});
