import { expect, test } from "vitest";
import { isUnderDoubt, proofOf } from "./suspicious-sign-ins.ts";

const dayMinutes = 1440;
const earliest = 30_000_000;
const nowMs = (earliest + 5) * 60_000;
const nowSeconds = nowMs / 1000;
const doubt = { earliest, knownAfterMinutes: dayMinutes };
const noDoubt = { ...doubt, earliest: undefined };
const signedInAt = (minute: number) => ({ loginTs: minute * 60 });
const factor = (since: number | undefined) => ({
  id: "totp:x",
  isVouched: false,
  ...(since !== undefined && { since }),
});
const verified = (since: number | undefined, secondsAgo = 10) => ({
  loginTs: nowSeconds - secondsAgo,
  mfaTs: nowSeconds - secondsAgo,
  factor: factor(since),
});

test("a browser proves its user if its session began a day before the earliest unanswered sign-in, in no doubt of its own", () => {
  expect(proofOf(signedInAt(earliest - dayMinutes), doubt, nowMs)).toBe("known_device");
  expect(proofOf(signedInAt(earliest - dayMinutes + 1), doubt, nowMs)).toBeUndefined();
  expect(proofOf(signedInAt(earliest + 1), { ...doubt, knownAfterMinutes: 0 }, nowMs)).toBeUndefined();
  expect(proofOf({ ...signedInAt(earliest - 2 * dayMinutes), isDoubted: true }, doubt, nowMs)).toBeUndefined();
  // The help desk has vouched for it.
  const byHelpDesk = { ...signedInAt(earliest - 2 * dayMinutes), lostPhoneTs: 1 };
  expect([proofOf(byHelpDesk, doubt, nowMs), proofOf(byHelpDesk, noDoubt, nowMs)]).toEqual([undefined, undefined]);
});

test("a factor proves its user for ten minutes if it is a day older than the earliest unanswered sign-in", () => {
  expect(proofOf(verified(earliest - dayMinutes, 600), doubt, nowMs)).toBe("second_factor");
  expect(proofOf(verified(earliest - dayMinutes, 601), doubt, nowMs)).toBeUndefined();
  expect(proofOf(verified(earliest - dayMinutes + 1), doubt, nowMs)).toBeUndefined();
  expect(proofOf(verified(undefined), doubt, nowMs)).toBeUndefined();
  // A session of the previous version does not say which factor it was.
  expect(proofOf({ loginTs: nowSeconds, mfaTs: nowSeconds }, doubt, nowMs)).toBeUndefined();
});

test("what is set up is doubted while a sign-in is unanswered, or from a session that was, unless the session proves its user", () => {
  expect(isUnderDoubt({ loginTs: nowSeconds }, noDoubt, nowMs)).toBe(false);
  expect(isUnderDoubt({ loginTs: nowSeconds }, doubt, nowMs)).toBe(true);
  expect(isUnderDoubt({ loginTs: nowSeconds, isDoubted: true }, noDoubt, nowMs)).toBe(true);
  expect(isUnderDoubt({ ...verified(undefined), isDoubted: true }, noDoubt, nowMs)).toBe(true);
  expect(isUnderDoubt(verified(earliest - dayMinutes), doubt, nowMs)).toBe(false);
});
