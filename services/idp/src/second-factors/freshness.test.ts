import { expect, test } from "vitest";
import { isFresh } from "./freshness.ts";

const now = 100_000;

test.each([
  ["a password just now, without a second factor", { loginTs: now }, false, true],
  ["a password ten minutes ago, without a second factor", { loginTs: now - 600 }, false, true],
  ["a password longer ago, without a second factor", { loginTs: now - 601 }, false, false],
  ["only a password, although the account has a second factor", { loginTs: now }, true, false],
  ["a second factor ten minutes ago", { loginTs: now - 5000, mfaTs: now - 600 }, true, true],
  ["a second factor longer ago, although the password is recent", { loginTs: now, mfaTs: now - 601 }, true, false],
  [
    "a second factor that the account no longer has, after an old password",
    { loginTs: now - 601, mfaTs: now },
    false,
    false,
  ],
])("%s", (_what, session, hasFactor, fresh) => {
  expect(isFresh(session, hasFactor, now)).toBe(fresh);
});
