import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { poll } from "@postern/testing";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedChromium } from "../../support/chromium.ts";
import { bobsSecret, enterCode, fillIn, press, soon } from "../../support/chromium-user.ts";
import { type NativeMailApp, startNativeMailApp } from "../../support/native-mail-app.ts";
import { totpCode } from "../../support/totp-code.ts";
import { shipped } from "./dovecot-setting.ts";
import { type MailServersSetting, mailScope, startMailServersSetting } from "./mail-servers-setting.ts";
import { repository } from "./nginx-setting.ts";

let mail: MailServersSetting;
let browser: Browser;
const scope = `${mailScope} offline_access`;
const imapSession = fileURLToPath(new URL("imap-session.py", import.meta.url));

beforeAll(async () => {
  [mail, browser] = await Promise.all([startMailServersSetting(), sharedChromium()]);
});

afterAll(async () => {
  await mail[Symbol.asyncDispose]();
});

interface Ran {
  readonly code: number;
  readonly output: string;
}

/** @returns the exit code and both streams */
async function run(command: string, args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(command, args, { timeout: 10_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (child.exitCode ?? -1), output: stdout + stderr });
    });
    child.stdin?.end("From: a@example.test\r\nSubject: Sent\r\n\r\nHello.\r\n");
  });
}

async function imaplib(port: number, mechanism: string, user: string, token: string) {
  const { output } = await run("python3", [imapSession, String(port), mechanism, user, token]);
  const result: { outcome: string; subject?: string; said?: readonly string[]; error?: string } = JSON.parse(output);
  return result;
}

const curlImap = (port: number, user: string, token: string): Promise<Ran> =>
  run("curl", [
    "-sS",
    "--oauth2-bearer",
    token,
    "--user",
    `${user}:`,
    `imap://127.0.0.1:${port}`,
    "--request",
    "STATUS INBOX (MESSAGES)",
  ]);

const curlSmtp = (port: number, user: string, token: string, mechanism = "OAUTHBEARER"): Promise<Ran> =>
  run("curl", [
    "-sS",
    "-v",
    "--oauth2-bearer",
    token,
    "--user",
    `${user}:`,
    "--login-options",
    `AUTH=${mechanism}`,
    `smtp://127.0.0.1:${port}`,
    "--mail-from",
    user,
    "--mail-rcpt",
    "someone@elsewhere.test",
    "--upload-file",
    "-",
  ]);

async function withAuthenticator(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const options = {
    protocol: "ctap2",
    transport: "internal",
    hasResidentKey: true,
    hasUserVerification: true,
  } as const;
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
  });
  return page;
}

/** Adds a passkey, then signs in with it alone at the address. */
async function signInWithPasskey(page: Page, address: string): Promise<void> {
  await page.goto(`${mail.issuer}/mfa/register/home`);
  await fillIn(page, "alice");
  await page.getByText("Signed in as Alice Example").waitFor();
  await page.goto(`${mail.issuer}/mfa/webauthn/register`);
  await page.getByLabel("Name").fill("Laptop");
  await press(page, "Add passkey");
  await page.getByText("Passkey added.").waitFor();
  await page.context().clearCookies();
  await page.goto(address);
  const allow = page.getByRole("button", { name: "Allow", exact: true });
  const byKey = page.getByRole("button", { name: "Sign in with a passkey" });
  await allow.or(byKey).first().waitFor();
  // The browser may have offered the passkey by itself.
  if (!(await allow.isVisible())) await byKey.click({ timeout: 5000 }).catch(() => undefined);
  await allow.waitFor();
}

async function allow(page: Page, app: NativeMailApp) {
  await page.getByText("Native mail").first().waitFor();
  const warning = page.getByRole("note");
  expect(await warning.isVisible()).toBe(true);
  const target = new URL(new URL(app.signInUrl).searchParams.get("redirect_uri") ?? "").origin;
  expect(await warning.innerText()).toMatch(/name has not been verified[^]*You will then be sent to/u);
  expect(await warning.getByRole("code").innerText()).toBe(target);
  await press(page, "Allow");
  const tokens = await app.tokens();
  await expect.poll(() => page.url(), soon).toContain("http://127.0.0.1:");
  return { access: tokens.access_token, refresh: tokens.refresh_token ?? "" };
}

async function isRefused(login: () => Promise<boolean>): Promise<void> {
  await poll("the refusal of the token", async () => !(await login()));
}

test("with a passkey: autoconfig, registration, mail over IMAP and SMTP, refresh, revocation, refusal", async () => {
  const user = "alice@example.test";
  const { imapPort } = mail.asking;
  // The program knows the mail address only.
  const found = await (await fetch(`${mail.issuer}/mail/config-v1.1.xml?emailaddress=${user}`)).text();
  const [, issuer = ""] = /<issuer>(.*?)<\/issuer>/.exec(found) ?? [];
  expect([issuer, found.indexOf("OAuth2") < found.indexOf("password-cleartext")]).toEqual([mail.issuer, true]);
  await using app = await startNativeMailApp(issuer, scope);
  await using context = await browser.newContext({ locale: "en-US" });
  const page = await withAuthenticator(context);
  await signInWithPasskey(page, app.signInUrl);
  const first = await allow(page, app);

  expect(await imaplib(imapPort, "OAUTHBEARER", user, first.access)).toMatchObject({ subject: "Subject: Welcome" });
  expect(await curlImap(imapPort, user, first.access)).toMatchObject({
    code: 0,
    output: expect.stringContaining("MESSAGES 1"),
  });
  expect((await curlImap(imapPort, "bob@example.test", first.access)).code).not.toBe(0);

  const next = await app.refresh(first.refresh);
  expect((await curlImap(imapPort, user, next.access_token)).code).toBe(0);
  await app.revoke(next.refresh_token ?? "");
  await isRefused(async () => (await imaplib(imapPort, "XOAUTH2", user, next.access_token)).outcome === "read");
  await expect(app.refresh(next.refresh_token ?? "")).rejects.toMatchObject({ error: "invalid_grant" });
});

test.each(["dovecot-discovery.conf", "oauth2-discovery.conf.ext"])(
  "docs/connect/mail-oauth.md shows %s",
  async (file) => {
    expect(await readFile(join(repository, "docs/connect/mail-oauth.md"), "utf8")).toContain(await shipped(file));
  },
);

test.each(["asking", "introspecting"] as const)(
  "the %s Dovecot names the discovery document when it refuses a token",
  async (kind) => {
    const dovecot = mail[kind];
    const refused = async (mechanism: string) =>
      imaplib(dovecot.imapPort, mechanism, "bob@example.test", "no-token-yet");
    for (const mechanism of ["OAUTHBEARER", "XOAUTH2"]) {
      const { outcome, said = [] } = await refused(mechanism);
      const address = JSON.parse(said[0] ?? "{}")["openid-configuration"];
      expect([outcome, address]).toEqual(["refused", expect.stringContaining("/.well-known/openid-configuration")]);
      const document: unknown = await (await fetch(address)).json();
      expect(document).toMatchObject({ issuer: mail.issuer, registration_endpoint: `${mail.issuer}/oidc/register` });
    }
  },
);

test("with TOTP: discovery by a failed login, introspection, the button that ends the client", async () => {
  const user = "bob@example.test";
  const { imapPort } = mail.introspecting;
  const failed = await imaplib(imapPort, "OAUTHBEARER", user, "no-token-yet");
  const hint: Record<string, string> = JSON.parse(failed.said?.[0] ?? "{}");
  // Dovecot 2.3 names no scope.
  expect(hint).toMatchObject({ status: "invalid_token", "openid-configuration": expect.stringContaining(mail.issuer) });
  const issuer = (hint["openid-configuration"] ?? "").replace("/.well-known/openid-configuration", "");
  await using app = await startNativeMailApp(issuer, scope);
  await using context = await browser.newContext({ locale: "en-US" });
  const page = await context.newPage();
  await page.goto(app.signInUrl);
  await fillIn(page, "bob");
  await enterCode(page, totpCode(bobsSecret), "Verify");
  const { access, refresh } = await allow(page, app);

  expect(await imaplib(imapPort, "XOAUTH2", user, access)).toMatchObject({ subject: "Subject: Welcome" });
  expect((await curlImap(imapPort, user, access)).code).toBe(0);
  await page.goto(`${mail.issuer}/mfa/sessions`);
  const entry = page.getByRole("listitem").filter({ hasText: "Native mail" });
  await entry.getByRole("button", { name: /^Sign out/ }).click();
  await page.getByText("Native mail").waitFor({ state: "detached" });
  await isRefused(async () => (await imaplib(imapPort, "OAUTHBEARER", user, access)).outcome === "read");
  await expect(app.refresh(refresh)).rejects.toMatchObject({ error: "invalid_grant" });
});

test.skipIf(process.getuid?.() !== 0)(
  "Postfix, as root, accepts mail for a token and a password, until the token is revoked",
  async () => {
    const user = "carol@example.test";
    const port = mail.postfix?.smtpPort ?? 0;
    // swaks has no OAuth mechanism: it reads what Postfix announces, and sends with a password beside the tokens.
    const to = ["--server", `127.0.0.1:${port}`, "--from", user, "--to", "someone@elsewhere.test"];
    const greeting = await run("swaks", [...to, "--quit-after", "EHLO"]);
    expect(greeting.output).toMatch(/AUTH(?=.* XOAUTH2)(?=.* OAUTHBEARER)/);
    expect((await run("swaks", to)).output).toContain("554");
    const password = ["--auth", "PLAIN", "--auth-user", user, "--auth-password", "carol-demo-password"];
    const sent = await run("swaks", [...to, ...password]);
    if (sent.code !== 0) throw new Error(sent.output + (await mail.postfix?.log()) + mail.asking.output().slice(-800));
    expect(sent.output).toContain("235 2.7.0");

    await using app = await startNativeMailApp(mail.issuer, scope);
    await using context = await browser.newContext({ locale: "en-US" });
    const page = await context.newPage();
    await page.goto(app.signInUrl);
    await fillIn(page, "carol");
    const { access, refresh } = await allow(page, app);
    expect((await curlSmtp(port, user, access)).output).toContain("235 2.7.0");
    expect(await curlSmtp(port, user, access, "XOAUTH2")).toMatchObject({ code: 0 });
    expect((await curlSmtp(port, "bob@example.test", access)).code).not.toBe(0);
    await app.revoke(refresh);
    await isRefused(async () => (await curlSmtp(port, user, access)).code === 0);
  },
);

test("without an engine, a mail client gets a temporary failure, not a refusal", async () => {
  await Promise.all(mail.stack.engines.map((engine) => engine.stop()));
  const answer = async () => imaplib(mail.asking.imapPort, "OAUTHBEARER", "alice@example.test", "any-token");
  expect(await answer()).toMatchObject({ error: expect.stringContaining("[UNAVAILABLE]") });
});
