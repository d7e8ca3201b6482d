import { loadConfig, type MailRegistrationConfig } from "@postern/shared/platform/config";
import fc from "fast-check";
import { expect, test } from "vitest";
import { permittedScopes, readMailClient } from "./mail-profile.ts";

function settingsOf(mail: object = {}): MailRegistrationConfig {
  const text = JSON.stringify({ identity: { oidc: { mail_registration: mail } } });
  const loaded = loadConfig({ text, env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config.identity.oidc.mail_registration;
}

const settings = settingsOf();
const mailScope = "urn:ietf:params:oauth:scope:mail";
const redirect_uris = ["http://127.0.0.1/callback"];

test("a request with only a redirect URI obtains all scopes of the profile", () => {
  expect(readMailClient({ redirect_uris }, settings)).toMatchObject({
    name: "",
    redirectUris: redirect_uris,
    scopes: [mailScope, `${mailScope.slice(0, -4)}calendars`, `${mailScope.slice(0, -4)}contacts`, "offline_access"],
  });
});

test("scopes outside the profile are dropped, and members that the profile does not know have no effect", () => {
  const logo_uri = "http://169.254.169.254/latest";
  const more = {
    logo_uri,
    jwks_uri: logo_uri,
    sector_identifier_uri: logo_uri,
    request_uris: [logo_uri],
    contacts: [{}],
  };
  const scope = `openid profile ${mailScope} service:admin`;
  const client = readMailClient({ redirect_uris, scope, software_id: "x".repeat(200), ...more }, settings);
  expect(client).toEqual({ name: "", redirectUris: redirect_uris, scopes: [mailScope] });
  expect(JSON.stringify(client)).not.toContain("169.254");
});

test.each([
  ["not an object", [], "invalid_client_metadata"],
  ["no redirect URI", {}, "invalid_redirect_uri"],
  ["an empty list", { redirect_uris: [] }, "invalid_redirect_uri"],
  [
    "one bad redirect URI among good ones",
    { redirect_uris: [...redirect_uris, "javascript:alert(1)"] },
    "invalid_redirect_uri",
  ],
  ["six redirect URIs", { redirect_uris: Array(6).fill(redirect_uris[0]) }, "invalid_redirect_uri"],
  ["redirect URIs of other types", { redirect_uris: [{ toString: "http://127.0.0.1/" }] }, "invalid_redirect_uri"],
  ["a website", { redirect_uris: ["https://app.example.test/callback"] }, "invalid_redirect_uri"],
  [
    "a confidential client",
    { redirect_uris, token_endpoint_auth_method: "client_secret_basic" },
    "invalid_client_metadata",
  ],
  ["a client with keys", { redirect_uris, token_endpoint_auth_method: "private_key_jwt" }, "invalid_client_metadata"],
  ["a web application", { redirect_uris, application_type: "web" }, "invalid_client_metadata"],
  ["tokens from the authorization endpoint", { redirect_uris, response_types: ["token"] }, "invalid_client_metadata"],
  ["client credentials", { redirect_uris, grant_types: ["client_credentials"] }, "invalid_client_metadata"],
  ["the password grant", { redirect_uris, grant_types: ["password", "authorization_code"] }, "invalid_client_metadata"],
  ["bound tokens", { redirect_uris, dpop_bound_access_tokens: true }, "invalid_client_metadata"],
  ["only foreign scopes", { redirect_uris, scope: "openid service:admin" }, "invalid_client_metadata"],
  ["a name that imitates another", { redirect_uris, client_name: "Thundеrbird" }, "invalid_client_metadata"],
  ["a name of another type", { redirect_uris, client_name: { toString: 1 } }, "invalid_client_metadata"],
])("%s is refused", (_what, body, error) => {
  expect(readMailClient(body, settings)).toMatchObject({ error });
});

test("no request obtains more than the profile", () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom("none", "native", ["code"], redirect_uris, mailScope, "admin"),
  );
  const names = ["redirect_uris", "scope", "client_name", "grant_types", "response_types", "application_type"];
  const request = fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), value);
  fc.assert(
    fc.property(request, (body) => {
      const client = readMailClient({ redirect_uris, ...body }, settings);
      if ("error" in client) return;
      expect(permittedScopes(settings)).toEqual(expect.arrayContaining([...client.scopes]));
      expect(Object.keys(client).toSorted()).toEqual([
        "name",
        "redirectUris",
        "scopes",
        "softwareId",
        "softwareVersion",
      ]);
    }),
    { numRuns: 1000 },
  );
});
