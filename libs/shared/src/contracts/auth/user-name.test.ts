import fc from "fast-check";
import { expect, test } from "vitest";
import { maxUserNameLength, userNameFault } from "./request.ts";

test.each([
  "alice@example.test",
  "DOMAIN\\user",
  "a b@example.test",
  '"quoted"@example.test',
  "müller@bücher.example",
  "用户@例え.test",
  "100%",
  "%{user}",
  "(|(uid=*))",
  "a{b};c",
  "alice*master",
  "a\u2028b",
  "😀",
  "x".repeat(maxUserNameLength),
])("%j is accepted as a user name", (name) => {
  expect(userNameFault(name)).toBeUndefined();
});

test.each([
  ["alice\u0000", "control"],
  ["al\r\nice", "control"],
  ["\talice", "control"],
  ["alice\u007f", "control"],
  ["alice\u0085", "control"],
  ["\u009falice", "control"],
  ["alice\ud800", "Unicode"],
  ["x".repeat(maxUserNameLength + 1), "longer"],
])("%j is rejected as a user name", (name, word) => {
  expect(userNameFault(name)).toContain(word);
});

test("a name is rejected only for control characters, unpaired surrogates and its length", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 600 }), (name) => {
      const isRefused = /\p{Cc}/u.test(name) || !name.isWellFormed() || name.length > maxUserNameLength;
      expect(userNameFault(name) !== undefined).toBe(isRefused);
    }),
  );
});
