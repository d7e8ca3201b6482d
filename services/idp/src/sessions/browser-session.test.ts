import { expect, test } from "vitest";
import { type BrowserSessionRecord, withoutAccountData } from "./browser-session.ts";

test("a new sign-in proves a factor itself: neither the time of an earlier one nor a code from the help desk remains", () => {
  const kept = {
    uid: "u",
    sid: "s",
    accountId: "1",
    account: "alice",
    loginTs: 1,
    iat: 1,
    exp: 2,
    remember: false,
    authorizations: {},
  };
  const earlier: BrowserSessionRecord = { ...kept, mfaTs: 1, lostPhoneTs: 2, groups: ["staff"] };
  expect(withoutAccountData(earlier)).toEqual(kept);
});
