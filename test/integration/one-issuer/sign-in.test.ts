import { afterAll, beforeAll, expect, test } from "vitest";
import { askJson } from "../../support/ask-json.ts";
import type { Browser, Page } from "../../support/browser.ts";
import { askInTurn, relyingParty, type Tokens } from "../../support/relying-party.ts";
import {
  browserOver,
  codeOf,
  follow,
  post,
  type Region,
  type RegionPair,
  regionCookie,
  regionOf,
  regions,
  startRegionPair,
} from "./issuer-regions.ts";

const alice = { username: "alice@example.test", password: "alice-demo-password" };
const scope = "openid email offline_access imap";

let pair: RegionPair;

beforeAll(async () => {
  pair = await startRegionPair();
});

afterAll(async () => {
  await pair[Symbol.asyncDispose]();
});

/** Signs alice in. @returns the redirect to the client */
async function signIn(browser: Browser, client = "web"): Promise<Page> {
  const form = await follow(browser, await relyingParty(pair.both, client).authorize(browser, { scope }));
  expect(form.text).toContain('name="password"');
  return follow(browser, await browser.submit(form, alice));
}

/** Tokens of a sign-in at one region, redeemed at the other. */
async function tokensOf(region: Region, client = "web"): Promise<Tokens["body"]> {
  const browser = browserOver(pair, [region]);
  const party = relyingParty(pair.both, client);
  const form = await follow(browser, await party.authorize(browser, { scope }));
  const { body } = await party.redeem(await follow(browser, await browser.submit(form, alice)));
  expect(regionOf(body["refresh_token"])).toBe(region);
  return body;
}

test("a sign-in goes on at whatever region its next request reaches: login, code, refresh, tokens and logout", async () => {
  const browser = browserOver(pair);
  const party = relyingParty(pair.both, "web");
  const begun = await party.authorize(browser, { scope });
  const owner = browser.cookies.get(regionCookie);
  expect(regions).toContain(owner);
  const form = await follow(browser, begun);
  const answered = await follow(browser, await browser.submit(form, alice));
  expect(regionOf(codeOf(answered))).toBe(owner);
  const { status, body } = await party.redeem(answered);
  expect([status, regionOf(body["access_token"])]).toEqual([200, owner]);

  let refresh = String(body["refresh_token"]);
  for (const region of regions) {
    const next = await post(pair, region, "/oidc/token", { grant_type: "refresh_token", refresh_token: refresh });
    expect(next.status).toBe(200);
    refresh = String(next.body["refresh_token"]);
    const token = String(next.body["access_token"]);
    for (const at of regions) {
      expect((await post(pair, at, "/oidc/introspect", { token })).body).toMatchObject({
        active: true,
        username: alice.username,
      });
      expect((await party.userinfo(token)).status).toBe(200);
    }
  }
  expect((await relyingParty(pair.both, "web").authorize(browser, { prompt: "none" })).location).toContain("code=");
  const out = await browser.get(`/oidc/logout?id_token_hint=${String(body["id_token"])}`);
  expect(out.status).toBeLessThan(400);
  const left = await follow(browser, out);
  expect(left.status).toBe(200);
  for (const region of regions) {
    browser.cookies.set(regionCookie, region);
    expect((await party.authorize(browser, { prompt: "none" })).location).toContain("error=login_required");
  }
});

test("of concurrent redemptions of a code at both regions, exactly one succeeds", async () => {
  const browser = browserOver(pair);
  const party = relyingParty(pair.both, "web");
  const answered = await follow(
    browser,
    await browser.submit(await follow(browser, await party.authorize(browser, { scope })), alice),
  );
  const all = await Promise.all(Array.from({ length: 8 }, () => party.redeem(answered)));
  expect(all.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array(7).fill(400)]);
});

test("signed tokens are introspected and revoked at either region", async () => {
  const { access_token: token } = await tokensOf("west", "signed");
  for (const region of regions)
    expect(
      (await post(pair, region, "/oidc/introspect", { token: String(token), client: "signed" })).body["active"],
    ).toBe(true);
  expect((await post(pair, "east", "/oidc/revoke", { token: String(token), client: "signed" })).status).toBe(200);
  for (const region of regions)
    expect(
      (await post(pair, region, "/oidc/introspect", { token: String(token), client: "signed" })).body["active"],
    ).toBe(false);
});

test("an engine asks the region of an opaque token when a mail client presents it", async () => {
  for (const region of regions) {
    const { access_token: token } = await tokensOf(region);
    for (const at of regions) {
      const request = {
        username: alice.username,
        password: String(token),
        method: "xoauth2",
        protocol: "imap",
        client_ip: "192.0.2.9",
      };
      expect((await askJson(pair.urlOf(at), request)).status).toBe(200);
      expect((await askJson(pair.urlOf(at), { ...request, password: `${String(token)}x` })).status).toBe(403);
    }
  }
});

test("a pushed request is used once, at the region to which the browser belongs", async () => {
  for (const region of regions) {
    const browser = browserOver(pair, ["east"]);
    await signIn(browser);
    const request = {
      response_type: "code",
      redirect_uri: "http://127.0.0.1:8090/callback",
      scope: "openid",
      code_challenge: "x".repeat(43),
      code_challenge_method: "S256",
    };
    const { body, status } = await post(pair, region, "/oidc/par", request);
    expect(status).toBe(201);
    const place = `/oidc/authorize?${new URLSearchParams({ client_id: "web", request_uri: String(body["request_uri"]) }).toString()}`;
    const pages = await Promise.all([browser.get(place), browser.get(place)]);
    expect(pages.filter(({ location }) => location?.includes("code=")).length).toBe(1);
  }
});

test("a device of one region is allowed by a browser of the other", async () => {
  const begun = await post(pair, "west", "/oidc/device", { client_id: "tv", scope: "openid", client: "" });
  expect(begun.body["user_code"]).toMatch(/^WEST-/);
  const browser = browserOver(pair, ["east"]);
  await signIn(browser);
  const typed = String(begun.body["user_code"]).toLowerCase();
  const moved = await follow(
    browser,
    await browser.submit(await browser.get("/oidc/device/verify"), { user_code: typed }),
  );
  expect(moved.text).toContain(typed);
  const login = await follow(browser, await browser.submit(moved, { user_code: typed }));
  expect(browser.cookies.get(regionCookie)).toBe("west");
  const consent = await follow(browser, await browser.submit(login, alice));
  expect(consent.text).toContain(String(begun.body["user_code"]));
  const done = await browser.submit(consent, { submit: "allow" });
  expect(done.location).toContain("success");
  const form = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", client_id: "tv" };
  const { body } = await askInTurn(pair.both, "/oidc/token", {
    method: "POST",
    body: new URLSearchParams({ ...form, device_code: String(begun.body["device_code"]) }),
  });
  expect(regionOf(body["access_token"])).toBe("west");
});

test("a client that registered itself in one region is served and managed in the other", async () => {
  const redirect = "http://127.0.0.1:8090/callback";
  const registered = await pair.both.ask(1, "/oidc/register", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ redirect_uris: [redirect], client_name: "Wiki", scope: "openid email" }),
  });
  const client: Readonly<Record<string, unknown>> = Object(await registered.json());
  const id = String(client["client_id"]);
  expect(regionOf(id)).toBe("west");

  const browser = browserOver(pair, ["east"]);
  const verifier = "v".repeat(43);
  const asking = {
    client_id: id,
    redirect_uri: redirect,
    response_type: "code",
    scope: "openid",
    code_challenge: "7w_YNF9DSfIdPf_pRjSq646_kPr-2-o9NAl16JGghdM",
    code_challenge_method: "S256",
  };
  const form = await follow(browser, await browser.get(`/oidc/authorize?${new URLSearchParams(asking).toString()}`));
  const consent = await follow(browser, await browser.submit(form, alice));
  const answered = await follow(browser, await browser.submit(consent, { submit: "allow" }));
  const redeeming = { grant_type: "authorization_code", code: codeOf(answered), redirect_uri: redirect };
  const { status } = await askInTurn(pair.both, "/oidc/token", {
    method: "POST",
    headers: {
      authorization: `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(String(client["client_secret"]))}`)}`,
    },
    body: new URLSearchParams({ ...redeeming, code_verifier: verifier }),
  });
  expect(status).toBe(200);

  const headers = { authorization: `Bearer ${String(client["registration_access_token"])}` };
  for (const region of [0, 1])
    expect((await pair.both.ask(region, `/oidc/register/${id}`, { headers })).status).toBe(200);
  expect((await pair.both.ask(0, `/oidc/register/${id}`, { method: "DELETE", headers })).status).toBe(204);
  expect((await pair.both.ask(1, `/oidc/register/${id}`, { headers })).status).toBe(401);
});
