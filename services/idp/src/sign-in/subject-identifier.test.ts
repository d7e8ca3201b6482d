import { expect, test } from "vitest";
import { subjectOf } from "./complete-sign-in.ts";

const account = "carol@example.test";

test("the subject is the mapped identifier, or the account name if none is mapped or the site is configured to use it", () => {
  expect(subjectOf({ account, uniqueUserId: "carol" }, "unique_id")).toEqual({
    accountId: "carol",
    lacksSubject: false,
  });
  expect(subjectOf({ account }, "unique_id")).toEqual({ accountId: account, lacksSubject: false });
  expect(subjectOf({ account, uniqueUserId: "carol" }, "account")).toEqual({ accountId: account, lacksSubject: false });
  expect(subjectOf({ account, uniqueUserId: "" }, "account")).toEqual({ accountId: account, lacksSubject: false });
});

test("an account whose mapped identifier is empty has no subject", () => {
  expect(subjectOf({ account, uniqueUserId: "" }, "unique_id")).toMatchObject({ lacksSubject: true });
});
