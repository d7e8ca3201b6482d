import { expect, test } from "vitest";
import { subjectOf } from "./subject.ts";

const account = "carol@example.test";

test("a subject is the mapped identifier; the account name where none is mapped or the site keeps it", () => {
  expect(subjectOf({ account, uniqueUserId: "carol" }, "unique_id")).toEqual({
    accountId: "carol",
    lacksSubject: false,
  });
  expect(subjectOf({ account }, "unique_id")).toEqual({ accountId: account, lacksSubject: false });
  expect(subjectOf({ account, uniqueUserId: "carol" }, "account")).toEqual({ accountId: account, lacksSubject: false });
  expect(subjectOf({ account, uniqueUserId: "" }, "account")).toEqual({ accountId: account, lacksSubject: false });
});

test("an account without the mapped identifier has no subject", () => {
  expect(subjectOf({ account, uniqueUserId: "" }, "unique_id")).toMatchObject({ lacksSubject: true });
});
