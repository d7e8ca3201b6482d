import { randomUUID } from "node:crypto";
import type { RedisClient } from "@postern/shared/platform/redis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askJson } from "../../support/ask-json.ts";
import { type Browser, createBrowser, type Page } from "../../support/browser.ts";
import { testRedis } from "../../support/redis-content.ts";
import { type IdpStack, startIdpStack } from "./idp-stack.ts";

let idp: IdpStack;
let redis: RedisClient | undefined;

beforeAll(async () => {
  const server = { host: "mail.example.test" };
  idp = await startIdpStack({
    identity: { mail_clients: { enabled: true, domains: [{ names: ["example.test"], imap: server, smtp: server }] } },
  });
});

afterAll(async () => {
  redis?.disconnect();
  await idp[Symbol.asyncDispose]();
});

const home = "/mfa/register/home";
const newBrowser = (): Browser => createBrowser(idp.replicas);

async function signIn(name: string): Promise<Browser> {
  const browser = newBrowser();
  const login = await browser.open(home);
  const answer = await browser.submit(login, { username: `${name}@example.test`, password: `${name}-demo-password` });
  expect([answer.status, answer.location]).toEqual([302, home]);
  return browser;
}

async function created(browser: Browser, kind: string, label: string): Promise<Page> {
  const page = await browser.open(`/mfa/mail-client/${kind}`);
  expect(page.status).toBe(200);
  return browser.submit(page, { label });
}

async function connected(): Promise<RedisClient> {
  redis ??= await testRedis(idp.stack.redis?.port ?? 0);
  return redis;
}

const passwordPattern = /app(?:-[a-z0-9]{6}){5}/;
const profileIn = ({ text }: Page): string => /\/mail\/profile\/[\w-]{43}/.exec(text)?.[0] ?? "";

describe("the page for mail clients", () => {
  test("is linked from the account page, lists the kinds of clients, and needs a session", async () => {
    const browser = await signIn("alice");
    expect((await browser.open(home)).text).toContain('href="/mfa/mail-clients"');
    const page = await browser.open("/mfa/mail-clients");
    expect(page.text).toContain("alice@example.test");
    for (const kind of ["apple", "android", "thunderbird", "outlook", "other"]) {
      expect(page.text).toContain(`href="/mfa/mail-client/${kind}"`);
      expect((await browser.open(`/mfa/mail-client/${kind}/de`)).text).toContain("mail.example.test");
      expect((await newBrowser().get(`/mfa/mail-client/${kind}`)).status).toBe(401);
    }
    expect((await browser.get("/mfa/mail-client/pine")).status).toBe(404);
    expect((await browser.post("/mfa/mail-client/other", { label: "Evil", csrf_token: "x.y" })).status).toBe(400);
  });

  test("creates an app password that works for IMAP and is not shown again", async () => {
    const browser = await signIn("alice");
    const page = await created(browser, "thunderbird", "Thunderbird at work");
    expect([page.status, page.headers.get("cache-control")]).toEqual([200, "no-store"]);
    const password = passwordPattern.exec(page.text)?.[0] ?? expect.fail();
    const answer = await askJson(idp.stack.url, { username: "alice@example.test", password, protocol: "imap" });
    expect(answer.status).toBe(200);
    expect((await browser.open("/mfa/mail-client/thunderbird")).text).not.toContain(password);
    expect((await browser.open("/mfa/app-passwords")).text).toContain("Thunderbird at work");
  });

  test("a new app password is shown with the settings of the servers of its domain", async () => {
    const browser = await signIn("alice");
    const page = await browser.submit(await browser.open("/mfa/app-passwords"), { label: "Another app" });
    expect(page.text).toMatch(passwordPattern);
    expect(page.text).toMatch(
      /<details class="manual" open>.*<dt>IMAP<\/dt><dd><code>mail\.example\.test<\/code><span>Port 993, SSL\/TLS/s,
    );
  });

  test("for Android shows a QR code beside the password", async () => {
    const page = await created(await signIn("alice"), "android", "Phone");
    expect(page.text).toMatch(passwordPattern);
    expect(page.text).toContain('<svg class="qr dense"');
  });
});

describe("an Apple profile", () => {
  test("contains the new app password, is served once without a session, and leaves nothing in Redis", async () => {
    const page = await created(await signIn("alice"), "apple", "iPhone");
    expect(page.text).not.toMatch(passwordPattern);
    const path = profileIn(page);
    const device = newBrowser();
    expect((await device.send(path, { method: "HEAD" })).status).toBe(405);
    const profile = await device.get(path);
    expect([profile.status, profile.headers.get("content-type"), profile.headers.get("cache-control")]).toEqual([
      200,
      "application/x-apple-aspen-config",
      "no-store",
    ]);
    const password = passwordPattern.exec(profile.text)?.[0] ?? expect.fail();
    const login = { username: "alice@example.test", password, protocol: "smtp" };
    expect((await askJson(idp.stack.url, login)).status).toBe(200);
    expect((await device.get(path)).status).toBe(404);
    const state = await connected();
    expect(await state.keys("*mail:profile:*")).toEqual([]);
  });

  test("is encrypted in Redis for ten minutes, and of simultaneous requests one gets it", async () => {
    const browser = await signIn("alice");
    const path = profileIn(await created(browser, "apple", "iPad"));
    const state = await connected();
    const [key = ""] = await state.keys("*mail:profile:*");
    expect(key).not.toContain(path.split("/").at(-1));
    expect(await state.ttl(key)).toBeGreaterThan(500);
    expect(await state.get(key)).not.toContain("alice");
    const answers = await Promise.all(Array.from({ length: 12 }, () => newBrowser().get(path)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(11);
  });

  test("of an unknown link does not exist", async () => {
    expect((await newBrowser().get(`/mail/profile/${randomUUID()}`)).status).toBe(404);
  });
});
