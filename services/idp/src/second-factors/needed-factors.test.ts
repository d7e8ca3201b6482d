import { expect, test } from "vitest";
import { neededFactors } from "./needed-factors.ts";

const none = { hasTotp: false, recoveryCodesLeft: 0, webauthnCredentials: 0 };
const app = { ...none, hasTotp: true };
const all = { hasTotp: true, recoveryCodesLeft: 3, webauthnCredentials: 1 };

test("an account with a second factor needs it to sign in; recovery codes alone do not count", () => {
  expect(neededFactors(none, undefined)).toEqual({ acceptsCode: false, isNeeded: false, methods: [], missing: [] });
  expect(neededFactors({ ...none, recoveryCodesLeft: 5 }, undefined).isNeeded).toBe(false);
  expect(neededFactors(all, undefined).methods).toEqual(["webauthn", "totp", "recovery"]);
});

test("a client accepts only the factors that reach its required level and are in its list", () => {
  expect(neededFactors(all, { requiredMfaLevel: "2" }).methods).toEqual(["webauthn", "totp"]);
  expect(neededFactors(all, { requiredMfaLevel: "webauthn" }).methods).toEqual(["webauthn"]);
  expect(neededFactors(all, { supportedMfa: ["totp", "recovery_codes"] }).methods).toEqual(["totp", "recovery"]);
});

test("a required factor that the account does not have is reported as missing", () => {
  expect(neededFactors(none, { requireMfa: ["recovery_codes", "totp"] }).missing).toEqual(["totp", "recovery"]);
  expect(neededFactors(none, { requiredMfaLevel: "2" }).missing).toEqual(["totp"]);
  expect(neededFactors(none, { requiredMfaLevel: "2", supportedMfa: ["webauthn"] }).missing).toEqual(["webauthn"]);
  expect(neededFactors(all, { requiredMfaLevel: "3", requireMfa: ["totp"] }).missing).toEqual([]);
});

test("an account below the required level must use its existing factor and set up the missing one", () => {
  expect(neededFactors(app, { requiredMfaLevel: "3" })).toEqual({
    acceptsCode: false,
    isNeeded: true,
    methods: ["totp"],
    missing: ["webauthn"],
  });
});

test("the site configures the level of each factor, which determines the factors that reach the required level", () => {
  const mfaLevels = { recovery: 1, totp: 3, webauthn: 3 };
  expect(neededFactors(app, { requiredMfaLevel: "3", mfaLevels })).toMatchObject({ methods: ["totp"], missing: [] });
  expect(neededFactors(all, { requiredMfaLevel: "3", mfaLevels }).methods).toEqual(["webauthn", "totp"]);
  expect(neededFactors(none, { requiredMfaLevel: "webauthn", mfaLevels }).missing).toEqual(["totp"]);
  const codesOnTop = { recovery: 4, totp: 2, webauthn: 3 };
  expect(neededFactors(all, { requiredMfaLevel: "4", mfaLevels: codesOnTop }).methods).toEqual(["recovery"]);
});

test("acr_values is a preference: if no factor meets it, all factors are offered", () => {
  expect(neededFactors(all, undefined, ["phr"]).methods).toEqual(["webauthn"]);
  expect(neededFactors(app, undefined, ["phr"]).methods).toEqual(["totp"]);
  expect(neededFactors(all, undefined, ["something"]).methods).toEqual(["webauthn", "totp", "recovery"]);
});

const accepts = (client: Parameters<typeof neededFactors>[1], acrValues: readonly string[] = []): boolean =>
  neededFactors(app, client, acrValues).acceptsCode;

test("a code from the help desk takes the place of a factor where a recovery code would, and nothing is to be set up", () => {
  expect([accepts(undefined), accepts({ requiredMfaLevel: "1" }), accepts(undefined, ["recovery"])]).toEqual([
    true,
    true,
    true,
  ]);
  expect([
    accepts({ requiredMfaLevel: "2" }),
    accepts({ supportedMfa: ["totp"] }),
    accepts({ requireMfa: ["webauthn"] }),
    accepts(undefined, ["mfa"]),
    neededFactors(none, undefined).acceptsCode,
  ]).toEqual([false, false, false, false, false]);
});
