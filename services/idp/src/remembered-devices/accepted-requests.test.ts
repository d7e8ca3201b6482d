import { expect, test } from "vitest";
import { acceptsDevice, acceptsDeviceInSaml } from "./accepted-requests.ts";

const client = { id: "webmail", skipConsent: false };

test.each([
  ["nothing", {}],
  ["empty values", { acr_values: "", max_age: "", prompt: "" }],
  ["a consent", { prompt: "consent" }],
  ["other claims", { claims: JSON.stringify({ id_token: { email: null }, userinfo: {} }) }],
])("a request for %s accepts a remembered device", (_what, params) => {
  expect(acceptsDevice(client, params)).toBe(true);
});

test.each([
  ["an acr", { acr_values: "pwd" }],
  ["an acr among the claims", { claims: JSON.stringify({ id_token: { acr: null } }) }],
  ["an acr among the claims of userinfo", { claims: { userinfo: { acr: { essential: true } } } }],
  ["claims that cannot be read", { claims: "{" }],
  ["a maximum age", { max_age: 3600 }],
  ["a maximum age of zero", { max_age: 0 }],
  ["a sign-in", { prompt: "consent login" }],
])("a request for %s does not", (_what, params) => {
  expect(acceptsDevice(client, params)).toBe(false);
});

test.each([
  ["demands a level", { requiredMfaLevel: "1" }],
  ["demands a factor", { requiredMfaLevel: "totp" }],
  ["demands that a factor is set up", { requireMfa: ["totp"] }],
  ["accepts some factors only", { supportedMfa: ["webauthn"] }],
  ["hides whether the password was right", { delayedResponse: true }],
])("an application that %s does not", (_what, demands) => {
  expect(acceptsDevice({ ...client, ...demands }, {})).toBe(false);
  expect(acceptsDeviceInSaml({ ...client, ...demands }, { forceAuthn: false, isPasswordEnough: true })).toBe(false);
});

test("a SAML request accepts one unless it demands a new sign-in or more than a password", () => {
  const judged = [
    { forceAuthn: false, isPasswordEnough: true },
    { forceAuthn: true, isPasswordEnough: true },
    { forceAuthn: false, isPasswordEnough: false },
  ].map((request) => acceptsDeviceInSaml(client, request));
  expect(judged).toEqual([true, false, false]);
});
