import { expect, test } from "vitest";
import { withAccountAttribute } from "./account-attribute.ts";

test("the account's name is among the attributes, under the name that account_field has", () => {
  expect(withAccountAttribute({ mail: ["a@example.test"] }, "login", "alice")).toEqual({
    mail: ["a@example.test"],
    login: ["alice"],
  });
});

test("an attribute that the backend released under that name keeps all its values", () => {
  const attributes = { mail: ["a@example.test", "b@example.test"] };
  expect(withAccountAttribute(attributes, "mail", "a@example.test")).toBe(attributes);
});

test("an attribute of another spelling stays the first", () => {
  const attributes = withAccountAttribute({ Mail: ["a", "b"], uid: ["alice"] }, "mail", "a");
  expect(Object.keys(attributes)).toEqual(["Mail", "uid", "mail"]);
});

test("a name that objects inherit is an attribute like any other", () => {
  expect(withAccountAttribute({}, "constructor", "alice")).toEqual({ constructor: ["alice"] });
});
