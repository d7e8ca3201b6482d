import { expect, test } from "vitest";
import { anyScopeOf, routeScopes, scopeName } from "./route-scopes.ts";

const operators = ["security", "admin"];
const mfaWrite = ["mfa_write", "admin"];
const webauthnWrite = ["webauthn_write", "admin"];

/** The contract's table, route by route. */
const rows: readonly (readonly [family: string, method: string, path: string, anyScope: readonly string[]])[] = [
  ["authentication", "POST", "/api/v1/auth/json", []],
  ["authentication", "GET", "/api/v1/auth/basic", []],
  ["management OpenAPI", "GET", "/api/v1/openapi.yaml", []],
  ["management OpenAPI", "GET", "/api/v1/openapi.json", []],
  ["cache flush", "DELETE", "/api/v1/cache/flush", operators],
  ["cache flush", "DELETE", "/api/v1/cache/flush/async", operators],
  ["brute force", "DELETE", "/api/v1/bruteforce/flush", operators],
  ["brute force", "GET", "/api/v1/bruteforce/list", operators],
  ["async jobs", "GET", "/api/v1/async/jobs/1", operators],
  ["OIDC sessions", "GET", "/api/v1/oidc/sessions/alice", operators],
  ["OIDC sessions", "DELETE", "/api/v1/oidc/sessions/alice/1", operators],
  ["configuration", "GET", "/api/v1/config/load", operators],
  ["MFA state", "POST", "/api/v1/mfa-backchannel/totp", mfaWrite],
  ["MFA state", "DELETE", "/api/v1/mfa-backchannel/totp/recovery-codes", mfaWrite],
  ["WebAuthn read", "GET", "/api/v1/mfa-backchannel/webauthn/credential", ["webauthn_read", "admin"]],
  ["WebAuthn write", "POST", "/api/v1/mfa-backchannel/webauthn/credential", webauthnWrite],
  ["WebAuthn write", "PUT", "/api/v1/mfa-backchannel/webauthn/credential", webauthnWrite],
  ["WebAuthn write", "DELETE", "/api/v1/mfa-backchannel/webauthn/credential", webauthnWrite],
  ["custom hooks", "PATCH", "/api/v1/custom/hello", []],
  ["developer UI", "GET", "/api/v1/dev/ui/version", []],
];

test.each(rows)("%s: %s %s needs any of %j", (_family, method, path, anyScope) => {
  expect(anyScopeOf(method, path)).toEqual(anyScope);
});

test("every row of the table has a case here", () => {
  expect(new Set(rows.map(([family]) => family))).toEqual(new Set(routeScopes.map(({ family }) => family)));
});

test("what no row names is open to administrators alone", () => {
  for (const [method, path] of [
    ["GET", "/api/v1/mfa-backchannel/totp"],
    ["GET", "/api/v1/authority"],
    ["GET", "/api/v1/openapi.yaml.bak"],
    ["GET", "/"],
  ] as const) {
    expect(anyScopeOf(method, path)).toEqual(["admin"]);
  }
});

test("the wire name carries the site's identifier", () => {
  expect(scopeName("mailgate", "mfa_write")).toBe("mailgate:mfa_write");
});
