import { expect, test } from "vitest";
import { writtenSuspension } from "./written-suspension.ts";

const suspension = { account: "ann@a.test", sinceMs: 0, untilMs: 1000, reason: "spam", session: "s" };
// As of a caller whose default domain is its own.
const isVisible = (name: string): boolean => !name.includes("@") || name.endsWith("@a.test");

test.each([
  ["carol@hoster.test", undefined, "carol@hoster.test"],
  ["carol@hoster.test", isVisible, ""],
  ["reseller", isVisible, ""],
  ["client:panel", isVisible, ""],
  ["help@a.test", isVisible, "help@a.test"],
])("by %s, for a caller that sees %o: %s", (by, visible, shown) => {
  expect(writtenSuspension({ ...suspension, by }, visible)).toEqual({
    account: "ann@a.test",
    since: "1970-01-01T00:00:00.000Z",
    until: "1970-01-01T00:00:01.000Z",
    reason: "spam",
    by: shown,
    session: "s",
  });
});
