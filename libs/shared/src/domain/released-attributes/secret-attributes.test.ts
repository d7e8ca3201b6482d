import { expect, test } from "vitest";
import { createAttributeFilter, isSecretAttribute } from "./secret-attributes.ts";

test.each([
  "userPassword",
  "password",
  "clientSecret",
  "imap_api_token",
  "Private-Key",
  "TOTPSecret",
  "mailTotpSecret",
  "myRecoveryCodes",
  "x-mfa-secret-backup",
  "refreshToken",
])("%s is secret", (name) => {
  expect(isSecretAttribute(name)).toBe(true);
});

test.each(["sshPublicKey", "mail", "tokenizer", "passwordChangedTime", "displayName", "dn"])("%s is not", (name) => {
  expect(isSecretAttribute(name)).toBe(false);
});

test("the fields configured for TOTP and recovery codes are never released, whatever their names", () => {
  const releasable = createAttributeFilter(["roomNumber", ""]);
  expect(releasable({ roomNumber: ["JBSW"], mail: ["a"] })).toEqual({ mail: ["a"] });
});

test("filtering for one account does not affect the next, and attributes without a secret are passed on unchanged", () => {
  const releasable = createAttributeFilter([]);
  const harmless = { mail: ["a"], uid: ["1"] };
  expect(releasable({ mail: ["a"], userPassword: ["x"], uid: ["1"] })).toEqual(harmless);
  expect(releasable(harmless)).toEqual({ mail: ["a"], uid: ["1"] });
});

test("an attribute named like a member of Object is an ordinary attribute", () => {
  const attributes = JSON.parse('{"__proto__":["a"],"constructor":["b"]}');
  expect(JSON.stringify(createAttributeFilter([])(attributes))).toBe('{"__proto__":["a"],"constructor":["b"]}');
});
