import { generateKeyPairSync } from "node:crypto";
import { type DynamicRegistrationConfig, loadConfig } from "@postern/shared/platform/config";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readFullClient } from "./full-profile.ts";
import { fullClientConfig } from "./registered-policies.ts";

function settingsOf(own: object = {}): DynamicRegistrationConfig {
  const text = JSON.stringify({ identity: { oidc: { dynamic_registration: own } } });
  const loaded = loadConfig({ text, env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config.identity.oidc.dynamic_registration;
}

const settings = settingsOf();
const redirect_uris = ["https://app.example.test/callback"];
const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
const jwks = { keys: [pair.publicKey.export({ format: "jwk" })] };

test("a request with only a redirect URI obtains the defaults of OpenID Connect Registration", () => {
  expect(readFullClient({ redirect_uris }, settings)).toMatchObject({
    redirectUris: redirect_uris,
    scopes: ["openid", "profile", "email"],
    metadata: { applicationType: "web", authMethod: "client_secret_basic", grantTypes: ["authorization_code"] },
  });
});

test("empty and null members count as absent, and members that are not supported have no effect", () => {
  const more = { client_name: null, tos_uri: "", logo_uri: "http://169.254.169.254/", sector_identifier_uri: "x" };
  const client = readFullClient({ redirect_uris, ...more, backchannel_logout_uri: "http://10.0.0.1/" }, settings);
  expect(client).toMatchObject({ name: "", metadata: { tosUri: "" } });
  expect(JSON.stringify(client)).not.toMatch(/169\.254|10\.0/);
});

test("responses of userinfo can be signed", () => {
  const signed = readFullClient({ redirect_uris, userinfo_signed_response_alg: "RS256" }, settings);
  expect(signed).toMatchObject({ metadata: { userinfoAlgorithm: "RS256" } });
  expect(readFullClient({ redirect_uris }, settings)).toMatchObject({ metadata: { userinfoAlgorithm: "" } });
  expect(readFullClient({ redirect_uris, userinfo_signed_response_alg: "none" }, settings)).toMatchObject({
    error: "invalid_client_metadata",
  });
});

test("initiate_login_uri must use https (OpenID Connect Core 4), even on loopback", () => {
  const initiateLoginUri = "https://localhost:8443/login";
  expect(readFullClient({ redirect_uris, initiate_login_uri: initiateLoginUri }, settings)).toMatchObject({
    metadata: { initiateLoginUri },
  });
  expect(readFullClient({ redirect_uris, initiate_login_uri: "http://localhost:8080/login" }, settings)).toMatchObject({
    error: "invalid_client_metadata",
  });
});

test("request_uris are registered where the site permits them, and must use https", () => {
  const uris = ["https://app.example.test/request#E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"];
  const permitting = settingsOf({ request_uris: true, redirect_hosts: ["app.example.test"] });
  const read = (request_uris: unknown, own = permitting) => readFullClient({ redirect_uris, request_uris }, own);
  expect(read(uris)).toMatchObject({ metadata: { requestUris: uris } });
  expect(read(uris, settings)).not.toHaveProperty("metadata.requestUris");
  for (const uri of [
    "http://app.example.test/request",
    "http://localhost/request",
    "https://other.example.test/request",
    "https://app.example.test/request#a#b",
    "https://app.example.test/request#<",
    "https://user@app.example.test/request",
    "file:///etc/passwd",
    "urn:ietf:params:oauth:request_uri:x",
  ]) {
    expect([uri, read([uri])]).toEqual([uri, expect.objectContaining({ error: "invalid_client_metadata" })]);
  }
  expect(read(Array.from({ length: 11 }, (_, index) => `https://app.example.test/${index}`))).toMatchObject({
    error: "invalid_client_metadata",
  });
});

const algorithmOf = (own: object, members: object = {}): string | undefined => {
  const now = settingsOf(own);
  const client = readFullClient({ redirect_uris, ...members }, now);
  if ("error" in client) throw new Error(client.description);
  const kept = { id: "app_1", kind: "full", network: "", createdAt: 0, endsAt: 1, ...client } as const;
  const full = { metadata: client.metadata, tokenDigest: "" };
  return fullClientConfig({ ...kept, full }, now, "App")?.request_object_signing_alg;
};

test("unsigned request objects need the site's key, and no registered algorithm", () => {
  const open = { unsigned_request_objects: true };
  expect(algorithmOf({})).toBe("");
  expect(algorithmOf(open)).toBe("any");
  expect(algorithmOf(open, { request_object_signing_alg: "ES256", jwks })).toBe("ES256");
  expect(algorithmOf(open, { require_signed_request_object: true, jwks })).toBe("");
});

test.each([0, -1, 1.5, "60", 31_536_001])("default_max_age cannot be %j", (default_max_age) => {
  const refused = readFullClient({ redirect_uris, default_max_age }, settings);
  expect(refused).toMatchObject({ error: "invalid_client_metadata" });
});

test.each([
  ["not an object", [], "invalid_client_metadata"],
  ["no redirect URI", {}, "invalid_redirect_uri"],
  ["an http redirect URI", { redirect_uris: ["http://app.example.test/"] }, "invalid_redirect_uri"],
  ["a private-use scheme of a website", { redirect_uris: ["org.example.app:/cb"] }, "invalid_redirect_uri"],
  ["a script", { redirect_uris: ["javascript:alert(1)"], application_type: "native" }, "invalid_redirect_uri"],
  [
    "too many redirect URIs",
    { redirect_uris: [...Array(11).keys()].map((n) => `https://a.test/${n}`) },
    "invalid_redirect_uri",
  ],
  ["a bad logout URI", { redirect_uris, post_logout_redirect_uris: ["data:x"] }, "invalid_redirect_uri"],
  ["client credentials", { redirect_uris, grant_types: ["client_credentials"] }, "invalid_client_metadata"],
  ["only refresh tokens", { grant_types: ["refresh_token"], response_types: [] }, "invalid_client_metadata"],
  ["the implicit flow", { redirect_uris, response_types: ["id_token"] }, "invalid_client_metadata"],
  ["an unsigned ID token", { redirect_uris, id_token_signed_response_alg: "none" }, "invalid_client_metadata"],
  ["an encrypted ID token", { redirect_uris, id_token_encrypted_response_alg: "RSA-OAEP" }, "invalid_client_metadata"],
  ["pairwise subjects", { redirect_uris, subject_type: "pairwise" }, "invalid_client_metadata"],
  ["a certificate", { redirect_uris, token_endpoint_auth_method: "tls_client_auth" }, "invalid_client_metadata"],
  [
    "assertions without keys",
    { redirect_uris, token_endpoint_auth_method: "private_key_jwt" },
    "invalid_client_metadata",
  ],
  [
    "a private key",
    { redirect_uris, jwks: { keys: [pair.privateKey.export({ format: "jwk" })] } },
    "invalid_client_metadata",
  ],
  ["a symmetric key", { redirect_uris, jwks: { keys: [{ kty: "oct", k: "AAAA" }] } }, "invalid_client_metadata"],
  ["keys twice", { redirect_uris, jwks, jwks_uri: "https://app.example.test/keys" }, "invalid_client_metadata"],
  ["http keys", { redirect_uris, jwks_uri: "http://10.0.0.1/keys" }, "invalid_client_metadata"],
  ["a flag that is no flag", { redirect_uris, dpop_bound_access_tokens: "yes" }, "invalid_client_metadata"],
  ["only foreign scopes", { redirect_uris, scope: "service:admin" }, "invalid_client_metadata"],
  ["a name that imitates another", { redirect_uris, client_name: "Thund\u0435rbird" }, "invalid_client_metadata"],
])("%s is refused", (_what, body, error) => {
  expect(readFullClient(body, settings)).toMatchObject({ error });
});

describe("the implicit flow", () => {
  const permitting = settingsOf({ grant_types: ["authorization_code", "refresh_token", "implicit"] });
  const both = { redirect_uris, grant_types: ["authorization_code", "implicit"], response_types: ["code", "id_token"] };

  test("is registered by its grant type and response types together, where the site permits it", () => {
    const more = { ...both, response_types: ["code", "token id_token", "id_token"] };
    expect(readFullClient(more, permitting)).toMatchObject({
      metadata: { grantTypes: both.grant_types, implicitTypes: ["id_token", "id_token token"] },
    });
    expect(readFullClient({ redirect_uris }, permitting)).not.toHaveProperty("metadata.implicitTypes");
    expect(readFullClient(both, settings)).toMatchObject({ error: "invalid_client_metadata" });
  });

  test.each([
    ["without its response types", { response_types: ["code"] }],
    ["without its grant type", { grant_types: ["authorization_code"] }],
    ["with an access token alone", { response_types: ["code", "token"] }],
    ["as part of a hybrid flow", { response_types: ["code id_token"] }],
    ["with DPoP", { dpop_bound_access_tokens: true }],
    ["with pushed requests", { require_pushed_authorization_requests: true }],
    ["with signed requests", { require_signed_request_object: true, jwks }],
  ])("is refused %s", (_what, more) => {
    expect(readFullClient({ ...both, ...more }, permitting)).toMatchObject({ error: "invalid_client_metadata" });
  });

  test("needs a redirect URI", () => {
    const alone = { grant_types: ["implicit"], response_types: ["id_token"] };
    expect(readFullClient(alone, permitting)).toMatchObject({ error: "invalid_redirect_uri" });
    expect(readFullClient({ ...alone, redirect_uris }, permitting)).toMatchObject({
      metadata: { grantTypes: ["implicit"] },
    });
  });
});

test("the site restricts methods, grants and hosts", () => {
  const own = settingsOf({ token_endpoint_auth_methods: ["private_key_jwt"], redirect_hosts: ["*.example.test"] });
  const signing = { token_endpoint_auth_method: "private_key_jwt", jwks };
  expect(readFullClient({ redirect_uris, ...signing }, own)).toMatchObject({
    metadata: { authMethod: "private_key_jwt" },
  });
  expect(readFullClient({ redirect_uris }, own)).toMatchObject({ error: "invalid_client_metadata" });
  for (const uri of ["https://example.test/", "https://app.example.test.evil.test/", "https://notexample.test/"]) {
    expect(readFullClient({ redirect_uris: [uri], ...signing }, own)).toMatchObject({ error: "invalid_redirect_uri" });
  }
});

test("no request obtains more than the site permits", () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom("none", "native", "web", ["code"], ["authorization_code"], redirect_uris, "openid", "admin", jwks),
  );
  const names = ["scope", "client_name", "grant_types", "response_types", "application_type", "jwks", "jwks_uri"];
  const more = ["token_endpoint_auth_method", "tos_uri", "post_logout_redirect_uris", "request_object_signing_alg"];
  const request = fc.dictionary(fc.oneof(fc.constantFrom(...names, ...more), fc.string()), value);
  fc.assert(
    fc.property(request, (body) => {
      const client = readFullClient({ redirect_uris, ...body }, settings);
      if ("error" in client) return;
      expect(settings.scopes).toEqual(expect.arrayContaining([...client.scopes]));
      expect(settings.grant_types).toEqual(expect.arrayContaining([...client.metadata.grantTypes]));
      expect(settings.token_endpoint_auth_methods).toContain(client.metadata.authMethod);
    }),
    { numRuns: 1000 },
  );
});
