import type { RedisClient } from "@postern/shared/platform/redis";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Browser, createBrowser, type Page } from "../../support/browser.ts";
import { type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { askInTurn, relyingParty, type Tokens } from "../../support/relying-party.ts";

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
const password = "alice-demo-password";
const username = "alice@example.test";

let oidc: OidcStack;
let redis: RedisClient;
let browser: Browser;
let address = 0;

const tv = {
  client_id: "tv",
  name: "Living room",
  scopes: ["openid", "email", "offline_access"],
  grant_types: [deviceGrant],
};

beforeAll(async () => {
  oidc = await startOidcStack(
    [
      tv,
      { ...tv, client_id: "signed-tv", access_token_type: "jwt" },
      { client_id: "plain", client_secret: "plain-secret", redirect_uris: ["https://x.example.test/cb"] },
    ],
    {},
    { shape: "five", gateway: false },
  );
  redis = await testRedis(oidc.stack.redis?.port ?? 0);
});

afterAll(async () => {
  redis.disconnect();
  await oidc[Symbol.asyncDispose]();
});

beforeEach(() => {
  address += 1;
  browser = createBrowser(oidc.replicas, `192.0.2.${address}`);
});

async function begin(clientId = "tv"): Promise<Tokens["body"]> {
  const form = { client_id: clientId, scope: "openid email offline_access groups" };
  const { status, body } = await askInTurn(oidc, "/oidc/device", { method: "POST", body: new URLSearchParams(form) });
  expect(status).toBe(200);
  return body;
}

async function pollFor(code: Tokens["body"], clientId = "tv"): Promise<Tokens> {
  const form = { grant_type: deviceGrant, device_code: String(code["device_code"]), client_id: clientId };
  return askInTurn(oidc, "/oidc/token", { method: "POST", body: new URLSearchParams(form) });
}

const pathOf = (url: unknown): string => {
  const { pathname, search } = new URL(String(url), oidc.issuer);
  return `${pathname}${search}`;
};

/** Follows redirects within the issuer, absolute ones too. */
async function follow(page: Page): Promise<Page> {
  let at = page;
  for (let hops = 0; at.location !== undefined && hops < 10; hops += 1) at = await browser.get(pathOf(at.location));
  return at;
}

async function enter(code: Tokens["body"], typed = String(code["user_code"])): Promise<Page> {
  const page = await browser.get("/oidc/device/verify");
  expect(page.status).toBe(200);
  return browser.submit(page, { user_code: typed });
}

async function useSession(): Promise<void> {
  const [name = "", sid = ""] = (await signedIn(redis, username)).split("=");
  browser.cookies.set(name, sid);
}

test("after code, password and confirmation, the device gets tokens once across all replicas", async () => {
  const code = await begin();
  expect(code).toMatchObject({ interval: 1, verification_uri: `${oidc.issuer}/oidc/device/verify` });
  expect((await pollFor(code)).body["error"]).toBe("authorization_pending");
  const login = await follow(await enter(code, String(code["user_code"]).toLowerCase().replace("-", " ")));
  expect(login.url).toContain("/login?flow=");
  const wrong = await browser.submit(login, { username, password: "wrong" });
  expect(wrong.status).toBe(200);
  const consent = await follow(await browser.submit(wrong, { username, password }));
  expect([consent.status, consent.url.split("?")[0]]).toEqual([200, "/oidc/device/consent"]);
  expect(consent.text).toContain("Living room");
  expect(consent.text).toContain(String(code["user_code"]));
  const allowed = await browser.submit(consent, { submit: "allow" });
  expect([allowed.status, allowed.location]).toEqual([302, "/oidc/device/verify/success"]);
  expect((await browser.get("/oidc/device/verify/success")).status).toBe(200);
  const answers = await Promise.all(Array.from({ length: 20 }, () => pollFor(code)));
  const [won, ...more] = answers.filter(({ status }) => status === 200);
  expect(more).toHaveLength(0);
  expect(won?.body).toMatchObject({ scope: "openid email offline_access", refresh_token: expect.any(String) });
  expect((await relyingParty(oidc, "tv").userinfo(won?.body["access_token"])).body).toMatchObject({ sub: username });
});

test("a signed-in browser goes straight to the confirmation; the link fills in the code", async () => {
  await useSession();
  const code = await begin("signed-tv");
  const page = await browser.get(pathOf(code["verification_uri_complete"]));
  expect(page.text).toContain(`value="${String(code["user_code"])}"`);
  const consent = await follow(await browser.submit(page, { user_code: String(code["user_code"]) }));
  expect(consent.url).toContain("/oidc/device/consent");
  await browser.submit(consent, { submit: "allow" });
  const { status, body } = await pollFor(code, "signed-tv");
  expect([status, String(body["access_token"]).split(".")]).toEqual([
    200,
    [expect.any(String), expect.any(String), expect.any(String)],
  ]);
});

test("a denial returns 403, and the device receives access_denied", async () => {
  await useSession();
  const code = await begin();
  const denied = await browser.submit(await follow(await enter(code)), { submit: "deny" });
  expect(denied.status).toBe(403);
  expect((await pollFor(code)).body["error"]).toBe("access_denied");
  expect((await enter(code)).text).toContain("This code is incorrect");
});

test("only the first of two decisions counts", async () => {
  await useSession();
  const code = await begin();
  const first = await follow(await enter(code));
  const other = await follow(await enter(code));
  expect((await browser.submit(first, { submit: "allow" })).location).toBe("/oidc/device/verify/success");
  expect((await browser.submit(other, { submit: "allow" })).location).toBe("/oidc/device/verify/failed");
  expect((await browser.get("/oidc/device/verify/failed/de")).text).toContain('lang="de"');
});

test("the confirmation page of another sign-in is rejected with 400", async () => {
  await useSession();
  const consent = await follow(await enter(await begin()));
  browser.cookies.delete("service_session");
  expect((await browser.get(consent.url)).status).toBe(400);
  expect((await browser.submit(consent, { submit: "allow" })).status).toBe(400);
});

test("an unknown code is reported on the page, and further guesses are rate-limited per address", async () => {
  let page = await enter({}, "BCDF-GHJK");
  expect([page.status, page.text.includes("This code is incorrect")]).toEqual([200, true]);
  for (let guess = 0; guess < 10; guess += 1) page = await browser.submit(page, { user_code: "BCDF-GHJK" });
  expect(page.text).toContain("Too many attempts");
  const code = await begin();
  expect((await browser.submit(page, { user_code: String(code["user_code"]) })).text).toContain("Too many attempts");
  const fresh = (): Browser => createBrowser(oidc.replicas, `192.0.2.${address}`);
  for (let guess = 0; guess < 40; guess += 1) {
    browser = fresh();
    page = await enter({}, "BCDF-GHJK");
  }
  expect(page.text).toContain("Too many attempts");
  browser = createBrowser(oidc.replicas, "198.51.100.9");
  expect((await follow(await enter(code))).url).toContain("/login?flow=");
});

test("a device that polls too fast receives slow_down", async () => {
  const code = await begin();
  expect((await pollFor(code)).body["error"]).toBe("authorization_pending");
  const key = (await redis.keys("postern:oidc:poll:*")).length;
  expect(key).toBeGreaterThan(0);
  const hasty = await Promise.all([pollFor(code), pollFor(code), pollFor(code)]);
  const errors = hasty.map(({ body }) => body["error"]);
  expect(errors.filter((error) => error === "slow_down").length).toBeGreaterThanOrEqual(1);
});

test.each([
  ["an unknown client", { client_id: "unknown" }, 401],
  ["a client without the grant", { client_id: "plain", client_secret: "plain-secret" }, 400],
  ["a request without a client", {}, 401],
])("%s cannot start a device sign-in", async (_what, form, status) => {
  const answer = await askInTurn(oidc, "/oidc/device", { method: "POST", body: new URLSearchParams(form) });
  expect(answer.status).toBe(status);
});
