import { clientDefaults, loadConfig, type OidcClientConfig, type OidcConfig } from "@postern/shared/platform/config";
import { expect, test } from "vitest";
import { withdrawnType } from "../registration/registered-policies.ts";
import type { RegisteredMetadata } from "../registration/registration.ts";
import { clientResponseTypes, implicitTypeOf, responseModes, siteResponseTypes } from "./response-types.ts";

function siteOf(response_types_supported: readonly string[]): OidcConfig {
  const loaded = loadConfig({
    text: JSON.stringify({ identity: { oidc: { response_types_supported } } }),
    env: {},
    readFile: () => "",
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config.identity.oidc;
}

const on = siteOf(["code", "id_token", "id_token token"]);
const grants = { grant_types: ["authorization_code", "implicit"] };
const clientOf = (more: Partial<OidcClientConfig>): OidcClientConfig => ({
  ...clientDefaults,
  client_id: "a",
  ...more,
});

test("a site offers the implicit flow only if it lists its response types", () => {
  expect([siteResponseTypes(siteOf(["code"])), responseModes(siteOf(["code"]))]).toEqual([
    ["code"],
    ["query", "form_post", "jwt", "query.jwt", "form_post.jwt"],
  ]);
  expect(siteResponseTypes(siteOf(["id_token"]))).toEqual(["code", "id_token"]);
  expect(responseModes(on)).toContain("fragment");
});

test("a client uses it only with the grant type, and only the response types that site and client name", () => {
  expect(clientResponseTypes(clientOf(grants), on)).toEqual(["code", "id_token", "id_token token"]);
  expect(clientResponseTypes(clientOf(grants), on, ["id_token"])).toEqual(["code", "id_token"]);
  expect(clientResponseTypes(clientOf(grants), siteOf(["code"]))).toEqual(["code"]);
  expect(clientResponseTypes(clientOf({}), on)).toEqual(["code"]);
  expect(clientResponseTypes(clientOf({ grant_types: ["implicit"] }), siteOf(["code"]))).toEqual([]);
});

test.each<Partial<OidcClientConfig>>([
  { profile: "fapi2" },
  { dpop_bound_access_tokens: true },
  { tls_client_certificate_bound_access_tokens: true },
  { token_endpoint_auth_method: "self_signed_tls_client_auth" },
  { require_pushed_authorization_requests: true },
  { require_signed_request_object: true },
])("a client with %j never uses it", (demand) => {
  expect(clientResponseTypes(clientOf({ ...grants, ...demand }), on)).toEqual(["code"]);
});

test("the words of a response type have no order", () => {
  expect(["token id_token", "id_token", "code", "code id_token", "", undefined].map(implicitTypeOf)).toEqual([
    "id_token token",
    "id_token",
    ...Array.from({ length: 4 }, () => undefined),
  ]);
});

test("a registration with a response type that the site does not permit is refused", () => {
  const metadata: RegisteredMetadata = {
    applicationType: "web",
    authMethod: "none",
    grantTypes: ["implicit"],
    implicitTypes: ["id_token token"],
    postLogoutRedirectUris: [],
    jwks: "",
    jwksUri: "",
    policyUri: "",
    tosUri: "",
    initiateLoginUri: "",
    idTokenAlgorithm: "RS256",
    requestObjectAlgorithm: "",
    requiresPushedRequests: false,
    requiresSignedRequests: false,
    requiresDpop: false,
  };
  const full = { metadata, tokenDigest: "" };
  expect(withdrawnType({ full }, { responseTypes: ["code", "id_token"] })).toContain("id_token token");
  expect(withdrawnType({ full }, { responseTypes: ["id_token token"] })).toBeUndefined();
});
