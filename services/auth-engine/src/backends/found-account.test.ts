import { expect, test } from "vitest";
import { withAccountAttribute } from "./found-account.ts";

test("the account's name is released as the attribute that account_field names", () => {
  expect(withAccountAttribute({ mail: ["a@example.test"] }, "login", "alice")).toEqual({
    mail: ["a@example.test"],
    login: ["alice"],
  });
});

test("an attribute that the backend released under that name keeps all its values", () => {
  const attributes = { mail: ["a@example.test", "b@example.test"] };
  expect(withAccountAttribute(attributes, "mail", "a@example.test")).toBe(attributes);
});

test("an attribute with another spelling remains the first", () => {
  const attributes = withAccountAttribute({ Mail: ["a", "b"], uid: ["alice"] }, "mail", "a");
  expect(Object.keys(attributes)).toEqual(["Mail", "uid", "mail"]);
});

test("an attribute named like a member of Object is an ordinary attribute", () => {
  expect(withAccountAttribute({}, "constructor", "alice")).toEqual({ constructor: ["alice"] });
});
