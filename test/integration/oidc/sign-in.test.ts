import * as client from "openid-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { claimsOf } from "../../support/oidc-user.ts";

let oidc: OidcStack;
let relyingParty: client.Configuration;

beforeAll(async () => {
  oidc = await startOidcStack();
  const options = { execute: [client.allowInsecureRequests] };
  relyingParty = await client.discovery(
    new URL(oidc.issuer),
    "demo-consent",
    "demo-consent-secret",
    undefined,
    options,
  );
});

afterAll(() => oidc[Symbol.asyncDispose]());

function formOf(text: string): URLSearchParams {
  const fields = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
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
  return { visit, send };
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
  return user.visit(resumed.location);
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
  // The same browser needs neither a password nor consent the second time.
  const again = await begin();
  const straight = await user.visit(again.url);
  expect(new URL(straight.location).searchParams.get("code")).toEqual(expect.any(String));
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
