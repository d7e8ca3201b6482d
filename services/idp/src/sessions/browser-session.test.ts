import { expect, test } from "vitest";
import { type BrowserSessionRecord, withoutAccountData } from "./browser-session.ts";

test("a new sign-in proves a factor itself: neither the time of an earlier one nor a code from the help desk remains", () => {
  const earlier = { account: "alice", mfaTs: 1, lostPhoneTs: 2, groups: ["staff"] } as unknown as BrowserSessionRecord;
  expect(withoutAccountData(earlier)).toEqual({ account: "alice" });
});
