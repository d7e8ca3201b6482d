import { expect, test } from "vitest";
import { bodyOf, viewWith } from "./testing/account-view.ts";

const kept = { id: "end-sessions", target: "alice", note: `"><b>stolen` } as const;

test("what was entered before a sign-in is in its form, which is open with the menu around it", () => {
  const body = bodyOf({ ...viewWith("alice"), kept });
  expect(body).toContain("End sessions is not done yet");
  expect(body).toMatch(/<details class="more-actions" open>.*<details open><summary>End sessions</su);
  expect(body).toContain('value="&quot;&gt;&lt;b&gt;stolen"');
  expect(body.match(/<details open>/gu)).toHaveLength(1);
});

test("without a recent sign-in, the page says that it is not done, and leads back with the entries", () => {
  const body = bodyOf({ ...viewWith("alice", { isProved: false }), kept });
  expect(body).toContain("Not done: End sessions.");
  const link = encodeURIComponent("/console/account?for=handle&kept=handle");
  expect(body).toContain(`/console/sign-in?proof=1&amp;next=${link}`);
  expect(body).not.toContain("stolen");
});

test("what was entered for another account opens nothing", () => {
  const body = bodyOf({ ...viewWith("alice"), kept: { ...kept, target: "bob" } });
  expect(body).not.toContain("<details open>");
});
