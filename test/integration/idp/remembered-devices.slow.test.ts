import { DatabaseSync } from "node:sqlite";
import { createRiskNames, encodeReviews } from "@postern/shared/domain/risk";
import { type RedisClient, riskReviewKey } from "@postern/shared/platform/redis";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { type Browser, createBrowser, hiddenFields, type Page } from "../../support/browser.ts";
import { claimsOf } from "../../support/oidc-user.ts";
import { redisContent, testRedis } from "../../support/redis-content.ts";
import { passwordNonce } from "../../support/stack-config.ts";
import { authorize, callback, follow, issuer, publicClient } from "./authorization.ts";
import { type IdpStack, startIdpStack } from "./idp-stack.ts";
import { addPasskey, fetchPublicKeyOptions, finish } from "./passkey-steps.ts";
import {
  bob,
  box,
  cookieName,
  enterPassword,
  isAsked,
  isDone,
  rememberedBrowserAt,
  secret,
  submitPassword,
  unusedCode,
} from "./remembered-device-steps.ts";

let idp: IdpStack;
let redis: RedisClient;
let directory: DatabaseSync;
let stored: unknown;

beforeAll(async () => {
  const clients = [
    publicClient("webmail"),
    publicClient("strict", { required_mfa_level: "1" }),
    publicClient("aged", { default_max_age: "1h" }),
  ];
  idp = await startIdpStack(
    {
      identity: {
        mfa: { remembered_devices: { lifetime: "720h" } },
        oidc: { enabled: true, issuer, clients },
      },
    },
    { shape: "five", services: ["admin"] },
  );
  redis = await testRedis(idp.stack.redis?.port ?? 0);
  directory = new DatabaseSync(idp.directoryFile);
  stored = directory.prepare("SELECT password FROM users WHERE username = ?").get(bob.username)?.["password"];
}, 300_000);

afterAll(async () => {
  directory.close();
  redis.disconnect();
  await idp[Symbol.asyncDispose]();
});

beforeEach(async () => {
  const keys = await redis.keys("*factor:devices:*");
  if (keys.length > 0) await redis.del(...keys);
});

const code = (): Promise<string> => unusedCode(redis);
const rememberedBrowser = (): Promise<Browser> => rememberedBrowserAt(idp, redis);

async function signInsByDevice(): Promise<number> {
  const pages = await Promise.all(idp.processes.map((process) => process.metrics()));
  const found = pages.join("\n").matchAll(/idp_sign_ins_total\{step="remembered_device",result="ok"\} (\d+)/gu);
  return [...found].reduce((sum, [, count]) => sum + Number(count), 0);
}

async function idTokenOf(browser: Browser, { location = "" }: Page) {
  const { text } = await browser.post("/oidc/token", {
    grant_type: "authorization_code",
    client_id: "webmail",
    code: new URL(location).searchParams.get("code") ?? "",
    redirect_uri: callback,
    code_verifier: "verifier-".repeat(6),
  });
  return claimsOf(Object(JSON.parse(text)).id_token);
}

test("a remembered device is asked for the password only, at every replica, and the token names no factor", async () => {
  const before = await signInsByDevice();
  const browser = await rememberedBrowser();
  const values = [browser.cookies.get(cookieName)];
  for (let count = 0; count < 2; count += 1) {
    const page = await enterPassword(browser);
    expect(isDone(page)).toBe(true);
    expect(await idTokenOf(browser, page)).toMatchObject({ amr: ["pwd"], acr: "pwd" });
    values.push(browser.cookies.get(cookieName));
  }
  expect(new Set(values).size).toBe(3);
  expect(await signInsByDevice()).toBe(before + 2);
  const content = await redisContent(redis);
  for (const part of values.flatMap((value = "") => value.split(".").slice(1))) expect(content).not.toContain(part);
  // Another browser, and one whose user did not choose it.
  expect(isAsked(await enterPassword(createBrowser(idp.replicas)))).toBe(true);
  const without = createBrowser(idp.replicas);
  expect(
    isDone(await follow(without, await without.submit(await enterPassword(without), { code: await code() }))),
  ).toBe(true);
  expect([without.cookies.has(cookieName), isAsked(await enterPassword(without))]).toEqual([false, true]);
});

test("two tabs that sign in at the same moment are both remembered, and so is the browser afterwards", async () => {
  const browser = await rememberedBrowser();
  browser.cookies.delete("service_session");
  const tabs = [await authorize(browser, "webmail"), await authorize(browser, "webmail")];
  const pages = await Promise.all(tabs.map((tab) => browser.submit(tab, bob)));
  for (const { location } of pages) expect(location).toMatch(/^(http:\/\/localhost:8080)?\/oidc\/authorize\//u);
  expect(isDone(await enterPassword(browser))).toBe(true);
});

test("a device is remembered after a passkey too", async () => {
  const { key } = await addPasskey(idp, "alice");
  const alice = { username: "alice@example.test", password: "alice-demo-password" };
  const browser = createBrowser(idp.replicas);
  const page = await follow(browser, await browser.submit(await authorize(browser, "webmail"), alice));
  expect([page.url.startsWith("/login/webauthn"), page.text.includes(box)]).toEqual([true, true]);
  const [begin = "", token = ""] = ["begin", "csrf"].map(
    (name) => new RegExp(`data-${name}="([^"]+)"`, "u").exec(page.text)?.[1],
  );
  const credential = key.get(await fetchPublicKeyOptions(browser, begin.replaceAll("&amp;", "&")));
  const answer = await finish(browser, "/login/webauthn/finish", token, { credential, remember_device: true });
  expect(answer).toMatchObject([200, {}]);
  browser.cookies.delete("service_session");
  expect(isDone(await follow(browser, await browser.submit(await authorize(browser, "webmail"), alice)))).toBe(true);
});

test("a wrong password gets the same answer as anywhere, and the device remains remembered", async () => {
  const browser = await rememberedBrowser();
  const page = await enterPassword(browser, { password: "wrong" });
  expect([page.status, page.text.includes("Incorrect username or password")]).toEqual([200, true]);
  expect(isDone(await enterPassword(browser))).toBe(true);
});

describe("a remembered device does not take the place of a factor that is demanded", () => {
  test.each([
    ["an acr", "webmail", { acr_values: "mfa" }],
    ["the weakest acr", "webmail", { acr_values: "pwd" }],
    ["an acr as a claim", "webmail", { claims: JSON.stringify({ id_token: { acr: { essential: true } } }) }],
    ["a maximum age", "webmail", { max_age: "3600" }],
    ["a new sign-in", "webmail", { prompt: "login" }],
    ["a level, by its configuration", "strict", {}],
    ["a maximum age, by its configuration", "aged", {}],
  ])("by an application that asks for %s", async (_what, client, more) => {
    const browser = await rememberedBrowser();
    const page = await enterPassword(browser, { client, more });
    expect([isAsked(page), page.text.includes(box)]).toEqual([true, false]);
  });

  test("by the account pages, nor by a change on them", async () => {
    const browser = await rememberedBrowser();
    expect(isDone(await enterPassword(browser))).toBe(true);
    // The session shows the account, and cannot change it.
    expect((await browser.get("/mfa/register/home")).status).toBe(200);
    const stepUp = await browser.open("/mfa/totp/register");
    expect(stepUp.url).toMatch(/^\/login\?/u);
    const factorPage = await submitPassword(browser, stepUp);
    expect([isAsked(factorPage), factorPage.text.includes(box)]).toEqual([true, false]);
    browser.cookies.delete("service_session");
    const home = await browser.open("/mfa/register/home");
    expect(isAsked(await submitPassword(browser, home))).toBe(true);
  });
});

/** The user's own page about devices, with a session that proved the factor. */
async function devicesPage(browser: Browser): Promise<Page> {
  browser.cookies.delete("service_session");
  const home = await browser.open("/mfa/register/home");
  await follow(browser, await browser.submit(await submitPassword(browser, home), { code: await code() }));
  return browser.get("/mfa/sessions");
}

const management = (method: string, path: string, body: object) =>
  askAdmin(idp.stack, method, `/api/v1/${path}`, { body });
const reviews = riskReviewKey.build("postern:", createRiskNames(passwordNonce).account(bob.username));

async function doubt(minute: number): Promise<void> {
  const review = {
    session: "s",
    minute,
    network: "n",
    country: "NG",
    system: 1,
    protocol: "oidc",
    client: "",
    score: 9,
  };
  const value = encodeReviews([{ ...review, level: "suspicious", signals: [], refusal: "", isRefused: false }]);
  await redis.set(reviews, value, "EX", 600);
}

describe("a remembered device ends", () => {
  test.each(["/mfa/remembered-device/", "/mfa/remembered-devices"])("when its user removes it at %s", async (path) => {
    const browser = await rememberedBrowser();
    await rememberedBrowser();
    const page = await devicesPage(browser);
    const { csrf_token = "" } = hiddenFields(page);
    const targets = [...page.text.matchAll(/action="(\/mfa\/remembered-device[^"]+)"/gu)].map(([, target]) => target);
    expect(targets.length).toBe(3);
    const [id] = (browser.cookies.get(cookieName) ?? "").split(".");
    const target = path.endsWith("/") ? `${path}${id}` : path;
    expect(targets).toContain(target);
    expect((await browser.post(target, { _method: "DELETE" })).status).toBe(400);
    expect((await browser.post(target, { csrf_token, _method: "DELETE" })).location).toBe("/mfa/sessions");
    expect((await browser.get("/mfa/sessions")).text).toContain("a second step again");
    expect(isAsked(await enterPassword(browser))).toBe(true);
  });

  test("when an operator forgets it, or all of the account", async () => {
    const browser = await rememberedBrowser();
    const listed = await management("POST", "console/account", { account: bob.username });
    const [device] = Object(listed.body)["remembered_devices"];
    expect(device).toEqual({
      id: browser.cookies.get(cookieName)?.split(".")[0],
      user_agent: "test browser",
      client_ip: "192.0.2.7",
      since: expect.any(String),
      last_used: expect.any(String),
      until: expect.any(String),
    });
    expect((await management("DELETE", "remembered-devices", { username: "" })).status).toBe(400);
    const none = await management("DELETE", "remembered-devices", { username: bob.username, id: "another" });
    expect(none.body).toEqual({ accounts: [bob.username], forgotten: 0, is_complete: true });
    expect(isDone(await enterPassword(browser))).toBe(true);
    const one = await management("DELETE", "remembered-devices", { username: bob.username, id: device.id });
    expect(one.body).toMatchObject({ forgotten: 1 });
    expect(isAsked(await enterPassword(browser))).toBe(true);
    const other = await rememberedBrowser();
    expect((await management("DELETE", "remembered-devices", { username: bob.username })).body).toMatchObject({
      forgotten: 1,
    });
    expect(isAsked(await enterPassword(other))).toBe(true);
  });

  test("when the password changes", async () => {
    const browser = await rememberedBrowser();
    directory.exec("UPDATE users SET password = (SELECT password FROM users WHERE uid = 'alice') WHERE uid = 'bob'");
    const change = directory.prepare("UPDATE users SET password = ? WHERE username = ?");
    try {
      expect(isAsked(await enterPassword(browser, { password: "alice-demo-password" }))).toBe(true);
    } finally {
      change.run(String(stored), bob.username);
    }
    // Also for the old password.
    expect(isAsked(await enterPassword(browser))).toBe(true);
  });

  test("when the account is suspended, also after it is resumed", async () => {
    const browser = await rememberedBrowser();
    expect((await management("POST", "suspensions", { username: bob.username })).status).toBe(200);
    expect((await management("DELETE", "suspensions", { username: bob.username })).status).toBe(200);
    const factorPage = await poll("the engines resume the account", async () => {
      const page = await enterPassword(browser);
      return page.status === 200 && page.url.startsWith("/login?") ? undefined : page;
    });
    expect(isAsked(factorPage)).toBe(true);
  });

  test("when an operator replaces the second factor", async () => {
    const browser = await rememberedBrowser();
    const body = { username: bob.username, totp_secret: secret };
    expect((await management("POST", "mfa-backchannel/totp", body)).status).toBe(200);
    expect(isAsked(await enterPassword(browser))).toBe(true);
  });

  test("when its user secures the account", async () => {
    const browser = await rememberedBrowser();
    const { csrf_token = "" } = hiddenFields(await devicesPage(browser));
    expect((await browser.post("/mfa/suspicious-sign-ins/secure", { csrf_token })).status).toBe(302);
    expect(isAsked(await enterPassword(browser))).toBe(true);
  });

  test("when a copy of its cookie is used after the browser was", async () => {
    const browser = await rememberedBrowser();
    const thief = createBrowser(idp.replicas, "198.51.100.9");
    thief.cookies.set(cookieName, browser.cookies.get(cookieName) ?? "");
    for (let count = 0; count < 2; count += 1) expect(isDone(await enterPassword(browser))).toBe(true);
    expect(isAsked(await enterPassword(thief))).toBe(true);
    expect(isAsked(await enterPassword(browser))).toBe(true);
  });
});

test("while a suspicious sign-in is unanswered, every device is asked, and one that is remembered then does not count", async () => {
  const browser = await rememberedBrowser();
  const now = Math.floor(Date.now() / 60_000);
  try {
    await doubt(now);
    const page = await enterPassword(browser);
    expect(isAsked(page)).toBe(true);
    await follow(browser, await browser.submit(page, { code: await code(), remember_device: "on" }));
    expect(isAsked(await enterPassword(browser))).toBe(true);
  } finally {
    await redis.del(reviews);
  }
  expect(isDone(await enterPassword(browser))).toBe(true);
});
