import type { RedisClient } from "@postern/shared/platform/redis";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Browser, createBrowser, type Page } from "../../support/browser.ts";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { claimsOf, signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { askInTurn, type RelyingParty, relyingParty } from "../../support/relying-party.ts";

const alice = "alice@example.test";
const scopes = ["openid", "profile", "email", "address", "person"];
const mapped = {
  mappings: [
    { claim: "birthdate", attribute: "born" },
    { claim: "address.country", attribute: "nation" },
    { claim: "tier", constant: 3 },
  ],
};
const attributes = {
  mail: [alice],
  born: ["1990-01-02"],
  nation: ["DE"],
  shoe: ["44"],
  changed: ["20231114221320Z"],
};

let oidc: OidcStack;
let redis: RedisClient;
let browser: Browser;

beforeAll(async () => {
  const rules = { redirect_uris: [callback], scopes };
  const shown = { ...rules, skip_consent: true };
  const both = { id_token_claims: mapped, access_token_claims: mapped };
  oidc = await startOidcStack(
    [
      { ...shown, ...both, client_id: "web", client_secret: "web-secret" },
      { ...shown, ...both, client_id: "signed", client_secret: "signed-secret", access_token_type: "jwt" },
      { ...rules, client_id: "asking", client_secret: "asking-secret", consent_mode: "granular_optional" },
      { ...shown, client_id: "narrow", client_secret: "narrow-secret", scopes: ["openid"] },
    ],
    {
      scopes_supported: ["openid", "profile", "email", "address"],
      custom_scopes: [{ name: "person", description: "See your size", claims: [{ name: "shoe", type: "integer" }] }],
      service_documentation: "https://docs.example.test/",
      claim_mappings: [{ claim: "updated_at", attribute: "changed" }],
    },
    { gateway: false },
  );
  redis = await testRedis(oidc.stack.redis?.port ?? 0);
});

afterAll(async () => {
  redis.disconnect();
  await oidc[Symbol.asyncDispose]();
});

beforeEach(async () => {
  browser = createBrowser(oidc.replicas);
  const [name = "", sid = ""] = (await signedIn(redis, alice, { attributes })).split("=");
  browser.cookies.set(name, sid);
});

async function released(party: RelyingParty, page: Page) {
  const { status, body } = await party.redeem(page);
  expect(status).toBe(200);
  const token = body["access_token"];
  const userinfo = (await party.userinfo(token)).body;
  const authorization = `Basic ${btoa(`${party.id}:${party.id}-secret`)}`;
  const form = new URLSearchParams({ token: String(token) });
  const introspected = await askInTurn(oidc, "/oidc/introspect", {
    method: "POST",
    headers: { authorization },
    body: form,
  });
  return { token, userinfo, idToken: claimsOf(body["id_token"]), introspection: introspected.body };
}

async function granted(client: string, more: Readonly<Record<string, string>>) {
  const party = relyingParty(oidc, client);
  return released(party, await party.authorize(browser, more));
}

/** The named claims that are present. */
const among = (claims: Readonly<Record<string, unknown>>, ...names: string[]) => names.filter((name) => name in claims);
const person = ["birthdate", "address", "name", "email", "updated_at", "shoe", "tier"] as const;

describe.each(["web", "signed"])("a client with mappings (%s)", (client) => {
  test("receives no claim of a scope that was not granted", async () => {
    const { userinfo, idToken, introspection, token } = await granted(client, { scope: "openid" });
    expect(among(idToken, ...person)).toEqual(["tier"]);
    expect(among(userinfo, ...person)).toEqual([]);
    expect(among(introspection, "birthdate", "address", "tier")).toEqual(["tier"]);
    if (client === "signed") expect(among(claimsOf(token), ...person)).toEqual(["tier"]);
  });

  test("receives mapped claims in ID tokens and at userinfo with their scopes, and other scopes' claims only at userinfo", async () => {
    const { userinfo, idToken, introspection, token } = await granted(client, { scope: scopes.join(" ") });
    const values = { birthdate: "1990-01-02", address: { country: "DE" } };
    expect(among(idToken, ...person)).toEqual(["birthdate", "address", "tier"]);
    expect(idToken).toMatchObject(values);
    expect(userinfo).toMatchObject({
      ...values,
      name: "Alice Example",
      email: alice,
      updated_at: 1700000000,
      shoe: 44,
    });
    expect(introspection).toMatchObject(values);
    if (client === "signed") expect(claimsOf(token)).toMatchObject(values);
  });

  test("receives the requested claims, in the ID token or at userinfo", async () => {
    const claims = JSON.stringify({ userinfo: { name: { essential: true } }, id_token: { updated_at: null } });
    const { userinfo, idToken } = await granted(client, { scope: "openid", claims });
    expect(among(idToken, ...person)).toEqual(["updated_at", "tier"]);
    expect(among(userinfo, ...person)).toEqual(["name"]);
  });
});

test("a requested claim is not released if the client may not obtain any scope to which it belongs", async () => {
  const named = { name: null, email: null, birthdate: null, made_up: null };
  const claims = JSON.stringify({ userinfo: named, id_token: named });
  const { userinfo, idToken } = await granted("narrow", { scope: "openid", claims });
  expect([...among(idToken, ...Object.keys(named)), ...among(userinfo, ...Object.keys(named))]).toEqual([]);
});

const asking = () => relyingParty(oidc, "asking");

describe("consent to requested claims", () => {
  const claims = JSON.stringify({ userinfo: { name: null }, id_token: { email: null } });

  test("is asked for by their scopes, is refused with a scope, and covers only what was shown", async () => {
    await redis.flushall();
    const [cookie = "", sid = ""] = (await signedIn(redis, alice, { attributes })).split("=");
    browser.cookies.set(cookie, sid);
    const party = asking();
    const page = await browser.open((await party.authorize(browser, { scope: "openid", claims })).location ?? "");
    expect([...page.text.matchAll(/name="optional_scope" value="([^"]*)"/g)].map(([, name]) => name)).toEqual([
      "profile",
      "email",
    ]);
    const { userinfo, idToken } = await released(
      party,
      await browser.submit(page, { submit: "allow", optional_scope: "email" }),
    );
    expect(userinfo).not.toHaveProperty("name");
    expect(idToken).toMatchObject({ email: alice });
  });

  test("is remembered by their scopes: another claim is asked for", async () => {
    const again = createBrowser(oidc.replicas);
    const [cookie = "", sid = ""] = (await signedIn(redis, alice, { attributes })).split("=");
    again.cookies.set(cookie, sid);
    const email = JSON.stringify({ userinfo: { email: null } });
    const known = await asking().authorize(again, { scope: "openid", claims: email });
    expect(known.location).toContain(callback);
    const address = JSON.stringify({ userinfo: { email: null, address: null } });
    const response = await asking().authorize(again, { scope: "openid", claims: address });
    expect(response.location).toContain("/oidc/consent");
  });
});

test("discovery lists languages, prompts, the authentication methods of each endpoint and the documentation", async () => {
  for (const path of ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"]) {
    const methods = ["client_secret_basic", "client_secret_post", "private_key_jwt"];
    expect((await askInTurn(oidc, path)).body).toMatchObject({
      ui_locales_supported: expect.arrayContaining(["en", "de", "ja"]),
      prompt_values_supported: ["none", "login", "consent", "select_account"],
      acr_values_supported: expect.arrayContaining(["pwd", "mfa"]),
      service_documentation: "https://docs.example.test/",
      introspection_endpoint_auth_methods_supported: methods,
      revocation_endpoint_auth_methods_supported: [...methods, "none"],
    });
  }
});

test("discovery lists the claims that have a source", async () => {
  const { body } = await askInTurn(oidc, "/.well-known/openid-configuration");
  expect(body["claims_supported"]).toEqual(
    expect.arrayContaining(["sub", "name", "email", "birthdate", "address", "updated_at", "tier"]),
  );
  // No backend returns them and nothing maps them.
  expect(
    among(
      Object.fromEntries(Object(body["claims_supported"]).map((name: string) => [name, 1])),
      "zoneinfo",
      "picture",
      "gender",
    ),
  ).toEqual([]);
});
