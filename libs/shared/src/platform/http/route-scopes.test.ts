import { expect, test } from "vitest";
import { operations } from "../../contracts/index.ts";
import { anyScopeOf, scopeName } from "./route-scopes.ts";

const operators = ["security", "admin"];
const mfaWrite = ["mfa_write", "admin"];
const webauthnWrite = ["webauthn_write", "admin"];

/** The scopes of the HTTP interface, route by route. */
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
  ["auth-policy", "POST", "/api/v1/auth-policy", []],
  ["registered clients", "GET", "/api/v1/oidc/clients", operators],
  ["applications", "GET", "/api/v1/applications", operators],
  ["OIDC sessions", "GET", "/api/v1/oidc/sessions/alice", operators],
  ["OIDC sessions", "DELETE", "/api/v1/oidc/sessions/alice/1", operators],
  ["signing keys", "GET", "/api/v1/oidc/keys", operators],
  ["signing keys", "POST", "/api/v1/oidc/keys/rotate", operators],
  ["failed sign-ins", "GET", "/api/v1/sign-ins/7d3f91ac-20b4", operators],
  ["configuration", "GET", "/api/v1/config/load", operators],
  ["factor locks", "DELETE", "/api/v1/mfa-backchannel/lock", ["mfa_write", ...operators]],
  ["MFA state", "POST", "/api/v1/mfa-backchannel/totp", mfaWrite],
  ["MFA state", "DELETE", "/api/v1/mfa-backchannel/totp", mfaWrite],
  ["MFA state", "POST", "/api/v1/mfa-backchannel/totp/recovery-codes", mfaWrite],
  ["MFA state", "DELETE", "/api/v1/mfa-backchannel/totp/recovery-codes", mfaWrite],
  ["one passkey", "DELETE", "/api/v1/mfa-backchannel/webauthn/passkey", mfaWrite],
  ["one app password", "DELETE", "/api/v1/mfa-backchannel/app-password", mfaWrite],
  ["second factors", "GET", "/api/v1/mfa-backchannel/factors", ["mfa_write", ...operators]],
  ["WebAuthn read", "GET", "/api/v1/mfa-backchannel/webauthn/credential", ["webauthn_read", "admin"]],
  ["WebAuthn read", "HEAD", "/api/v1/mfa-backchannel/webauthn/credential", ["webauthn_read", "admin"]],
  ["WebAuthn write", "POST", "/api/v1/mfa-backchannel/webauthn/credential", webauthnWrite],
  ["WebAuthn write", "PUT", "/api/v1/mfa-backchannel/webauthn/credential", webauthnWrite],
  ["WebAuthn write", "DELETE", "/api/v1/mfa-backchannel/webauthn/credential", webauthnWrite],
  ["suspensions", "POST", "/api/v1/suspensions", operators],
  ["domains", "GET", "/api/v1/domains/example.test", operators],
  ["domains", "GET", "/api/v1/domains", operators],
  ["cache flush", "DELETE", "/api/v1/cache/flush/domain", operators],
  ["shadow", "DELETE", "/api/v1/shadow", ["security", "admin"]],
  ["regions", "GET", "/api/v1/regions", operators],
  ["forgetting a region", "DELETE", "/api/v1/regions/{name}", ["admin"]],
  ["remembered devices", "DELETE", "/api/v1/remembered-devices", operators],
  ["console", "GET", "/api/v1/console/explain", operators],
  ["all recorded sign-ins", "GET", "/api/v1/console/history/export", ["admin"]],
  ["start of a rehearsal", "POST", "/api/v1/console/rehearsal", ["admin"]],
  ["result of a rehearsal", "GET", "/api/v1/console/rehearsal", ["admin"]],
  ["end of a rehearsal", "DELETE", "/api/v1/console/rehearsal", ["admin"]],
  ["invitations of operators", "POST", "/api/v1/console/invitations", ["admin"]],
  ["lost-phone codes", "POST", "/api/v1/console/lost-phone-codes", mfaWrite],
  ["audit records", "GET", "/api/v1/console/audit", ["audit_read", "admin"]],
  ["audit records", "GET", "/api/v1/console/audit/export", ["audit_read", "admin"]],
  ["custom hooks", "PATCH", "/api/v1/custom/hello", []],
  ["developer UI", "GET", "/api/v1/dev/ui/version", []],
];

test.each(rows)("%s: %s %s needs any of %j", (_family, method, path, anyScope) => {
  expect(anyScopeOf(method, path)).toEqual(anyScope);
});

test("every family that authenticates its caller, and every operation with its own scopes, has a case here", () => {
  const cases = rows.map(([, method, path]) => `${method} ${path}`);
  const families = new Set(
    operations.filter(({ security }) => security === "backchannel").map(({ family }) => family.prefix),
  );
  expect([...families].filter((prefix) => !cases.some((row) => row.includes(` ${prefix}`)))).toEqual([]);
  const own = operations.filter(({ anyScope }) => anyScope !== undefined);
  expect(
    own.map(({ method, path }) => `${method.toUpperCase()} ${path}`).filter((row) => !cases.includes(row)),
  ).toEqual([]);
});

test("a path without an operation or family is restricted to administrators", () => {
  for (const [method, path] of [
    ["GET", "/api/v1/mfa-backchannel/totp"],
    ["GET", "/api/v1/authority"],
    ["GET", "/api/v1/openapi.yaml.bak"],
    ["GET", "/"],
  ] as const) {
    expect(anyScopeOf(method, path)).toEqual(["admin"]);
  }
});

test("the wire name contains the site's identifier", () => {
  expect(scopeName("mailgate", "mfa_write")).toBe("mailgate:mfa_write");
});
