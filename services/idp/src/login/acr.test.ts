import { expect, test } from "vitest";
import { acrOfRank, levelOfAcr, rankOfAcr, rankOfMethod, wantedRank } from "./acr.ts";
import { defaultLevels } from "./factor-levels.ts";

test("each way of signing in has its class, the stronger above the weaker", () => {
  const classes = ([undefined, "recovery", "totp", "webauthn"] as const).map((method) =>
    acrOfRank(rankOfMethod(method)),
  );
  expect(classes).toEqual(["pwd", "recovery", "mfa", "phr"]);
  expect(classes.map((name) => rankOfAcr(name))).toEqual([0, 1, 2, 3]);
});

test("a request of several classes is content with the weakest; foreign ones do not count", () => {
  expect(wantedRank(["phr", "mfa"])).toBe(2);
  expect(wantedRank(["urn:mace:incommon:iap:silver", "phr"])).toBe(3);
  expect(wantedRank(["urn:mace:incommon:iap:silver"])).toBeUndefined();
  expect(wantedRank([])).toBeUndefined();
});

test("a session is worth the level of the factor that its class names; without a known class, none", () => {
  const levels = { recovery: 5, totp: 2, webauthn: 9 };
  expect(["pwd", "recovery", "mfa", "phr"].map((acr) => levelOfAcr(acr, levels))).toEqual([0, 5, 2, 9]);
  expect(levelOfAcr(undefined, defaultLevels)).toBe(0);
  expect(levelOfAcr("gold", defaultLevels)).toBe(0);
});
