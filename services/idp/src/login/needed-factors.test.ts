import { expect, test } from "vitest";
import { neededFactors } from "./needed-factors.ts";

const none = { hasTotp: false, recoveryCodesLeft: 0, webauthnCredentials: 0 };
const app = { ...none, hasTotp: true };
const all = { hasTotp: true, recoveryCodesLeft: 3, webauthnCredentials: 1 };

test("an account with a factor needs one to sign in; recovery codes alone are not a factor", () => {
  expect(neededFactors(none, undefined)).toEqual({ isNeeded: false, methods: [], missing: [] });
  expect(neededFactors({ ...none, recoveryCodesLeft: 5 }, undefined).isNeeded).toBe(false);
  expect(neededFactors(all, undefined).methods).toEqual(["webauthn", "totp", "recovery"]);
});

test("a client's level leaves the factors that reach it, and its list those that it takes", () => {
  expect(neededFactors(all, { requiredMfaLevel: "2" }).methods).toEqual(["webauthn", "totp"]);
  expect(neededFactors(all, { requiredMfaLevel: "webauthn" }).methods).toEqual(["webauthn"]);
  expect(neededFactors(all, { supportedMfa: ["totp", "recovery_codes"] }).methods).toEqual(["totp", "recovery"]);
});

test("a factor that the client demands and the account lacks is missing", () => {
  expect(neededFactors(none, { requireMfa: ["recovery_codes", "totp"] }).missing).toEqual(["totp", "recovery"]);
  expect(neededFactors(none, { requiredMfaLevel: "2" }).missing).toEqual(["totp"]);
  expect(neededFactors(none, { requiredMfaLevel: "2", supportedMfa: ["webauthn"] }).missing).toEqual(["webauthn"]);
  expect(neededFactors(all, { requiredMfaLevel: "3", requireMfa: ["totp"] }).missing).toEqual([]);
});

test("who lacks the level shows what there is, and sets up what is missing", () => {
  expect(neededFactors(app, { requiredMfaLevel: "3" })).toEqual({
    isNeeded: true,
    methods: ["totp"],
    missing: ["webauthn"],
  });
});

test("levels are the site's: what each factor is worth decides which reach the demand", () => {
  const mfaLevels = { recovery: 1, totp: 3, webauthn: 3 };
  expect(neededFactors(app, { requiredMfaLevel: "3", mfaLevels })).toMatchObject({ methods: ["totp"], missing: [] });
  expect(neededFactors(all, { requiredMfaLevel: "3", mfaLevels }).methods).toEqual(["webauthn", "totp"]);
  expect(neededFactors(none, { requiredMfaLevel: "webauthn", mfaLevels }).missing).toEqual(["totp"]);
  const codesOnTop = { recovery: 4, totp: 2, webauthn: 3 };
  expect(neededFactors(all, { requiredMfaLevel: "4", mfaLevels: codesOnTop }).methods).toEqual(["recovery"]);
});

test("acr_values is a wish: the factors that meet it, or else all", () => {
  expect(neededFactors(all, undefined, ["phr"]).methods).toEqual(["webauthn"]);
  expect(neededFactors(app, undefined, ["phr"]).methods).toEqual(["totp"]);
  expect(neededFactors(all, undefined, ["something"]).methods).toEqual(["webauthn", "totp", "recovery"]);
});
