import type { RedisClient } from "@postern/shared/platform/redis";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Browser, createBrowser, formOf } from "../../support/browser.ts";
import { signedInBrowser } from "../../support/mail-client.ts";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { answerOf, relyingParty } from "../../support/relying-party.ts";

const after = "https://mail.example.test/bye";
const fields = { client_id: "large", response_type: "code", redirect_uri: callback, scope: "openid", prompt: "none" };

let oidc: OidcStack;
let redis: RedisClient;
let browser: Browser;
let hint: string;

/** A browser that withholds its Lax cookies, as from the form of another site. */
let withheld: Browser;

const signIn = async (): Promise<Browser> => signedInBrowser(oidc, await signedIn(redis, "alice@example.test"));

beforeAll(async () => {
  const large = {
    client_id: "large",
    client_secret: "large-secret",
    redirect_uris: [callback],
    post_logout_redirect_uris: [after],
    scopes: ["openid"],
    skip_consent: true,
    id_token_claims: { mappings: [{ claim: "department", constant: "d".repeat(9000) }] },
  };
  oidc = await startOidcStack([large], {}, { gateway: false });
  redis = await testRedis(oidc.stack.redis?.port ?? 0);
});

afterAll(async () => {
  redis.disconnect();
  await oidc[Symbol.asyncDispose]();
});

beforeEach(async () => {
  browser = await signIn();
  withheld = createBrowser(oidc.replicas);
  const party = relyingParty(oidc, "large");
  hint = String((await party.redeem(await party.authorize(browser))).body["id_token"]);
});

async function isSignedIn(user = browser): Promise<boolean> {
  const page = await relyingParty(oidc, "large").authorize(user, { prompt: "none" });
  return answerOf(page).get("error") !== "login_required";
}

test("an ID token of more than 10,000 characters is accepted as a hint by logout and authorization requests", async () => {
  expect(hint.length).toBeGreaterThan(10_000);
  const page = await relyingParty(oidc, "large").authorize(browser, { prompt: "none", id_token_hint: hint });
  expect(page.location).toContain("code=");
  const query = new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: after });
  const out = await browser.get(`/oidc/logout?${query.toString()}`);
  expect([out.status, out.location]).toEqual([302, after]);
  expect(await isSignedIn()).toBe(false);
});

test("a hint that is posted to /oidc/logout is never copied into an address", async () => {
  const form = { id_token_hint: hint, post_logout_redirect_uri: after, state: "s" };
  const page = await withheld.post("/oidc/logout/de", form);
  expect([page.status, page.location]).toEqual([200, undefined]);
  expect(page.headers.get("content-security-policy")).toContain("form-action 'self' https://mail.example.test");
  expect(formOf(page)).toMatchObject({ action: "/oidc/logout/de", hidden: form });
  const done = await browser.submit(page, {});
  expect([done.status, done.location]).toEqual([302, `${after}?state=s`]);
  expect(await isSignedIn()).toBe(false);
  expect((await browser.submit(page, {})).location).toBe(`${after}?state=s`);
});

test("a posted hint of another session leads to a question", async () => {
  const other = await signIn();
  const page = await other.post("/oidc/logout", { id_token_hint: hint });
  expect(page.text).toContain("Sign out?");
  expect(page.text).not.toContain(hint);
  expect((await other.submit(page, {})).location).toBe("/logged_out");
});

test("a posted hint does not remove the cookies of a browser that withheld them", async () => {
  const page = await withheld.post("/oidc/logout", { id_token_hint: hint, service_sent_again: "1" });
  expect([page.location, page.headers.getSetCookie()]).toEqual(["/logged_out", []]);
  expect(await isSignedIn()).toBe(true);
});

test("a hint that is posted to /oidc/authorize is never copied into an address", async () => {
  const page = await withheld.post("/oidc/authorize", { ...fields, id_token_hint: hint });
  expect([page.status, page.location]).toEqual([200, undefined]);
  expect(page.headers.get("content-security-policy")).toContain("form-action 'self' http://127.0.0.1:8090");
  expect((await browser.submit(page, {})).location).toContain(`${callback}?code=`);
  const known = await browser.post("/oidc/authorize", { ...fields, id_token_hint: hint });
  expect(known.location).toContain(`${callback}?code=`);
  const unknown = await createBrowser(oidc.replicas).submit(page, {});
  expect(unknown.location).toContain("error=login_required");
});
