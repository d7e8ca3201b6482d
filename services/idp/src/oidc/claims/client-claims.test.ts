import { loadConfig } from "@postern/shared/platform/config";
import { expect, test } from "vitest";
import { oidcSettings } from "../settings/oidc-settings.ts";
import { clientClaims, scopesForClaims, supportedClaims } from "./client-claims.ts";

function settingsOf(client: object, oidc: object = {}, auth: object = {}) {
  const own = { client_id: "mail", redirect_uris: ["https://mail.test/cb"], ...client };
  const tree = { identity: { oidc: { clients: [own], ...oidc } }, auth };
  const loaded = loadConfig({ text: JSON.stringify(tree), env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return oidcSettings(loaded.config);
}

function claimsFor(client: object, oidc: object = {}) {
  const settings = settingsOf(client, oidc);
  const [config] = settings.oidc.clients;
  if (config === undefined) throw new Error("no client");
  return clientClaims(settings.oidc, config);
}

const mappings = (...claims: string[]) => ({ mappings: claims.map((claim) => ({ claim, attribute: claim })) });

test("a mapped claim is in ID tokens only with a scope to which it belongs; a claim of no scope always is", () => {
  const claims = claimsFor({ id_token_claims: mappings("birthdate", "email", "tier") });
  expect(claims.idTokenClaims(["openid"])).toEqual(["tier"]);
  expect(claims.idTokenClaims(["openid", "email"])).toEqual(["email", "tier"]);
  expect(claims.idTokenClaims(["profile"])).toEqual(["birthdate", "tier"]);
});

test("the members of an address belong to the scope of the address", () => {
  const client = { scopes: ["openid", "address"], id_token_claims: mappings("address.country", "address.locality") };
  const claims = claimsFor(client, { scopes_supported: ["openid", "address"] });
  expect(claims.idTokenClaims(["openid"])).toEqual([]);
  expect(claims.idTokenClaims(["address"])).toEqual(["address"]);
});

test("access tokens follow the same rule, except for the claims by which mail servers find the mailbox", () => {
  const claims = claimsFor({ access_token_claims: mappings("birthdate", "email", "preferred_username", "quota") });
  const names = (scopes: string[]) => claims.accessTokenMappings(scopes).map(({ claim }) => claim);
  expect(names(["openid"])).toEqual(["email", "preferred_username", "quota"]);
  expect(names(["profile"])).toEqual(["birthdate", "email", "preferred_username", "quota"]);
});

test("a client may request by name only claims of scopes that it may obtain, and claims mapped for it", () => {
  const claims = claimsFor({ scopes: ["openid", "email"], id_token_claims: mappings("tier") });
  const named = ["email", "email_verified", "tier", "acr", "name", "birthdate", "address", "made_up"];
  expect(named.filter((claim) => claims.mayRequest(claim))).toEqual(["email", "email_verified", "tier", "acr"]);
});

test("a client's custom scope replaces the general one of the same name, and its claims name attributes", () => {
  const general = [{ name: "person", claims: [{ name: "gender" }] }];
  const own = [{ name: "person", claims: [{ name: "birthdate", attribute: "born" }, { name: "shoe" }] }];
  const claims = claimsFor({ custom_scopes: own }, { custom_scopes: general });
  expect(claims.ofScopes(["person"])).toEqual(["birthdate", "shoe"]);
  expect(claims.named).toMatchObject([{ claim: "shoe", attribute: "shoe" }]);
  expect(claims.mappings).toMatchObject([{ claim: "birthdate", attribute: "born" }]);
  expect(claimsFor({}, { custom_scopes: general }).ofScopes(["person"])).toEqual(["gender"]);
});

test("claims requested by name stand for their scopes on the consent page, each scope once", () => {
  const claims = claimsFor({ id_token_claims: mappings("tier") });
  const named = ["name", "birthdate", "email", "tier", "auth_time"];
  expect(scopesForClaims(claims, named, ["openid", "email"])).toEqual(["profile"]);
  expect(scopesForClaims(claims, named, ["openid", "email", "profile"])).toEqual([]);
  expect(["name", "email", "tier"].filter((claim) => claims.isCovered(claim, ["openid", "email"]))).toEqual([
    "email",
    "tier",
  ]);
});

test("claims_supported contains only claims that have a source", () => {
  const search = [
    {
      protocol: ["*"],
      cache_name: "users",
      queries: { user: "SELECT 1" },
      mapping: { account_field: "a", password_column: "p" },
      attribute: ["mail", "givenName"],
    },
  ];
  const auth = { backends: { order: ["sql"], sql: { default: { file: "/users.sqlite" }, search } } };
  const settings = settingsOf(
    { id_token_claims: mappings("tier") },
    { claim_mappings: [{ claim: "zoneinfo", constant: "UTC" }] },
    auth,
  );
  const sources = settings.oidc.clients.map((client) => clientClaims(settings.oidc, client));
  expect(supportedClaims(settings, sources)).toEqual([
    "sub",
    "acr",
    "amr",
    "auth_time",
    "sid",
    "name",
    "given_name",
    "preferred_username",
    "zoneinfo",
    "email",
    "groups",
    "tier",
  ]);
});
