import type { RedisClient } from "@postern/shared/platform/redis";
import * as client from "openid-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBrowser, type Page } from "../../support/browser.ts";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { claimsOf, signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";

let oidc: OidcStack;
let relyingParty: client.Configuration;
let redis: RedisClient;

beforeAll(async () => {
  oidc = await startOidcStack();
  redis = await testRedis(oidc.stack.redis?.port ?? 0);
  const options = { execute: [client.allowInsecureRequests] };
  relyingParty = await client.discovery(
    new URL(oidc.issuer),
    "demo-consent",
    "demo-consent-secret",
    undefined,
    options,
  );
});

afterAll(async () => {
  redis.disconnect();
  await oidc[Symbol.asyncDispose]();
});

/** The hidden fields of the first form; the second one cancels. */
function formOf(text: string): URLSearchParams {
  const [form = ""] = /<form[^>]*>.*?<\/form>/s.exec(text) ?? [];
  const fields = [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  return new URLSearchParams(fields.map(([, name = "", value = ""]) => [name, value]));
}

/** A browser without JavaScript: cookies, links and forms. */
function browser() {
  const cookies = new Map<string, string>();
  let at = oidc.issuer;
  const visit = async (
    url: string,
    form?: URLSearchParams,
  ): Promise<{ status: number; location: string; text: string }> => {
    at = new URL(url, at).href;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const init = form === undefined ? {} : { method: "POST", body: form };
    const response = await fetch(at, { ...init, redirect: "manual", headers: { cookie, accept: "text/html" } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";", 1);
      cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
    }
    return { status: response.status, location: response.headers.get("location") ?? "", text: await response.text() };
  };
  const send = (text: string, fields: Readonly<Record<string, string>>) => {
    const form = formOf(text);
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    const action = /<form[^>]*action="([^"]*)"/.exec(text)?.[1] ?? "";
    return visit(action === "" ? at : action.replaceAll("&amp;", "&"), form);
  };
  return { visit, send, cookies };
}

async function begin(scope = "openid profile email offline_access") {
  const verifier = client.randomPKCECodeVerifier();
  const [state, nonce] = [client.randomState(), client.randomNonce()];
  const url = client.buildAuthorizationUrl(relyingParty, {
    redirect_uri: callback,
    scope,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    nonce,
  });
  return { url: url.href, checks: { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce } };
}

async function toConsent(user: ReturnType<typeof browser>, url: string) {
  const started = await user.visit(url);
  const page = await user.visit(started.location);
  const signedIn = await user.send(page.text, { username: "alice@example.test", password: "alice-demo-password" });
  expect(signedIn.status).toBe(302);
  const resumed = await user.visit(signedIn.location);
  expect([resumed.status, new URL(resumed.location, oidc.issuer).pathname]).toEqual([302, "/oidc/consent"]);
  return { ...(await user.visit(resumed.location)), url: resumed.location };
}

test("a certified relying party completes sign-in, consent, code and refresh", async () => {
  const user = browser();
  const { url, checks } = await begin();
  const consent = await toConsent(user, url);
  const allowed = await user.send(consent.text, { submit: "allow", optional_scope: "profile" });
  expect(allowed.status).toBe(302);
  const tokens = await client.authorizationCodeGrant(relyingParty, new URL(allowed.location), checks);
  expect(tokens.claims()).toMatchObject({ sub: "alice@example.test", amr: ["pwd"] });
  expect(await client.fetchUserInfo(relyingParty, tokens.access_token, "alice@example.test")).toMatchObject({
    email: "alice@example.test",
    name: expect.any(String),
  });
  const next = await client.refreshTokenGrant(relyingParty, tokens.refresh_token ?? "");
  expect(next.refresh_token).not.toBe(tokens.refresh_token);
  // Back on a page of the finished sign-in, the user finds the way to the application.
  const over = await user.visit(consent.url);
  expect([over.status, over.text]).toEqual([400, expect.stringContaining("This page has expired")]);
  const start = `https://mail.example.test/login?iss=${encodeURIComponent(oidc.issuer)}`;
  expect(over.text).toContain(`<a class="button" href="${start}" rel="noopener">Return to Demo mail</a>`);
  expect(over.text).toContain('<a class="button quiet" href="/mfa/register/home">');
  // The same browser needs neither a password nor consent the second time.
  const again = await begin();
  const straight = await user.visit(again.url);
  expect(new URL(straight.location).searchParams.get("code")).toMatch(/^[\w-]{43}$/);
  // Without regions, no value and no cookie names one.
  expect([...user.cookies.keys()].filter((name) => name.includes("region"))).toEqual([]);
});

test("a scope that the user declines is in no token", async () => {
  const user = browser();
  const { url, checks } = await begin("openid profile email");
  const consent = await toConsent(user, `${url}&prompt=consent`);
  const allowed = await user.send(consent.text, { submit: "allow" });
  const tokens = await client.authorizationCodeGrant(relyingParty, new URL(allowed.location), checks);
  expect(tokens.scope).toBe("openid email");
  expect(claimsOf(tokens.id_token)["name"]).toBeUndefined();
});

test("a denial returns a 403 page whose link returns access_denied to the client", async () => {
  const user = browser();
  const { url, checks } = await begin("openid profile phone email");
  const consent = await toConsent(user, `${url}&prompt=consent`);
  const denied = await user.send(consent.text, { submit: "deny" });
  expect(denied.status).toBe(403);
  const back = /href="([^"]*\/oidc\/authorize\/[^"]*)"/.exec(denied.text)?.[1] ?? "";
  const returned = new URL((await user.visit(back)).location);
  expect(returned.searchParams.get("error")).toBe("access_denied");
  expect(returned.searchParams.get("state")).toBe(checks.expectedState);
});

test("two tabs of one browser sign in independently", async () => {
  const user = browser();
  const [first, second] = [await begin(), await begin()];
  const one = await user.visit((await user.visit(first.url)).location);
  const two = await user.visit((await user.visit(second.url)).location);
  const credentials = { username: "carol@example.test", password: "carol-demo-password" };
  for (const page of [one, two]) expect((await user.send(page.text, credentials)).status).toBe(302);
});

test("a sign-in or consent form that is sent twice, in parallel or in turn, leads to one code and one redirect", async () => {
  const browser = createBrowser(oidc.replicas);
  const { url, checks } = await begin();
  const login = await browser.open(`${new URL(url).pathname}${new URL(url).search}&prompt=consent`);
  const credentials = { username: "carol@example.test", password: "carol-demo-password" };
  const pathOf = ({ location = "" }: Page): string => new URL(location, oidc.issuer).pathname;
  const inParallel = await Promise.all([browser.submit(login, credentials), browser.submit(login, credentials)]);
  expect(new Set(inParallel.map(({ location }) => location)).size).toBe(1);
  // The browser has dropped both responses, and with them the session.
  browser.cookies.delete("service_session");
  const later = await browser.submit(login, credentials);
  expect(later.location).toBe(inParallel[0]?.location);
  // The browser follows the redirect twice.
  const [resumed, repeated] = await Promise.all([browser.get(pathOf(later)), browser.get(pathOf(later))]);
  expect([resumed?.status, pathOf(resumed), repeated?.location]).toEqual([302, "/oidc/consent", resumed?.location]);
  expect((await browser.submit(login, credentials)).location).toBe(later.location);
  expect((await browser.get(pathOf(later))).location).toBe(resumed?.location);

  const consent = await browser.open(resumed.location ?? "");
  const allow = () => browser.submit(consent, { submit: "allow", optional_scope: "profile" });
  const allowed = [...(await Promise.all([allow(), allow(), allow()])), await allow()];
  expect(new Set(allowed.map(({ status, location }) => `${status} ${location}`)).size).toBe(1);
  const [answer] = allowed;
  const tokens = await client.authorizationCodeGrant(relyingParty, new URL(answer?.location ?? ""), checks);
  expect(tokens.claims()?.sub).toBe("carol@example.test");

  // Another browser learns nothing from the address.
  const other = createBrowser(oidc.replicas);
  await other.open(`${new URL(url).pathname}${new URL(url).search}`);
  other.cookies.delete("service_resume");
  expect((await other.get(pathOf(later))).status).toBe(400);
});

test("a denial that is sent twice shows the same page, and an allowance after it changes nothing", async () => {
  const browser = createBrowser(oidc.replicas);
  const [name = "", sid = ""] = (await signedIn(redis, "bob@example.test")).split("=");
  browser.cookies.set(name, sid);
  const { url } = await begin("openid profile phone");
  const consent = await browser.open(`${new URL(url).pathname}${new URL(url).search}&prompt=consent`);
  const sent = [
    await browser.submit(consent, { submit: "deny" }),
    await browser.submit(consent, { submit: "deny" }),
    await browser.submit(consent, { submit: "allow" }),
  ];
  expect(sent.map(({ status }) => status)).toEqual([403, 403, 403]);
  const back = /href="([^"]*\/oidc\/authorize\/[^"]*)"/.exec(sent[2]?.text ?? "")?.[1] ?? "";
  const returned = await browser.get(new URL(back).pathname);
  expect(new URL(returned.location ?? "").searchParams.get("error")).toBe("access_denied");
});
