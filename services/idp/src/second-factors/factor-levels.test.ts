import { expect, test } from "vitest";
import { acrOfRank, defaultLevels, levelOfAcr, rankOfAcr, rankOfMethod, wantedRank } from "./factor-levels.ts";

test("each sign-in method has its own ACR class, and stronger methods rank higher", () => {
  const classes = ([undefined, "recovery", "totp", "webauthn"] as const).map((method) =>
    acrOfRank(rankOfMethod(method)),
  );
  expect(classes).toEqual(["pwd", "recovery", "mfa", "phr"]);
  expect(classes.map((name) => rankOfAcr(name))).toEqual([0, 1, 2, 3]);
});

test("if several ACR classes are requested, the weakest known one is sufficient; unknown ones are ignored", () => {
  expect(wantedRank(["phr", "mfa"])).toBe(2);
  expect(wantedRank(["urn:mace:incommon:iap:silver", "phr"])).toBe(3);
  expect(wantedRank(["urn:mace:incommon:iap:silver"])).toBeUndefined();
  expect(wantedRank([])).toBeUndefined();
});

test("a session has the level of the factor in its ACR class, and level 0 without a known class", () => {
  const levels = { recovery: 5, totp: 2, webauthn: 9 };
  expect(["pwd", "recovery", "mfa", "phr"].map((acr) => levelOfAcr(acr, levels))).toEqual([0, 5, 2, 9]);
  expect(levelOfAcr(undefined, defaultLevels)).toBe(0);
  expect(levelOfAcr("gold", defaultLevels)).toBe(0);
});
