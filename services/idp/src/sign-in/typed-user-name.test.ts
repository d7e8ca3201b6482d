import fc from "fast-check";
import { expect, test } from "vitest";
import { typedUserName } from "./post-login.ts";

const alice = "alice@example.test";

test.each([
  ["a TAB", `${alice}\t`],
  ["a line end", `${alice}\r\n`],
  ["a zero-width space", `${alice}\u200B`],
  ["a byte order mark", `\uFEFF${alice}`],
  ["marks of direction", `\u2068${alice}\u2069`],
  ["a no-break space", `\u00A0${alice} `],
])("%s at an edge is removed", (_what, text) => {
  expect(typedUserName(text)).toBe(alice);
});

test.each([
  ["within the name stay", `al\u200Bice`, `al\u200Bice`],
  ["alone are no name", "\t\u200B", ""],
  ["that are control characters are denied", `${alice}\0`, ""],
  ["within the name that are control characters are denied", "al\tice", ""],
  ["in a number that no name has are denied", "x".repeat(513), ""],
  ["in a number above any that users type are denied", " ".repeat(1_000_000), ""],
])("characters %s", (_what, text, name) => {
  expect(typedUserName(text)).toBe(name);
});

test("a name that is read twice stays the same", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const name = typedUserName(text);
      expect(typedUserName(name)).toBe(name);
    }),
  );
});
