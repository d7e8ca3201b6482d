import fc from "fast-check";
import { expect, test } from "vitest";
import { printable } from "./printable.ts";

test.each([
  ["203.0.113.9:51234", "203.0.113.9:51234"],
  ["müller@例え.test", "müller@例え.test"],
  ["a\u0000b\nc\u001b[31m", "a\\u{0}b\\u{a}c\\u{1b}[31m"],
  ["\u0085\u2028\u202e", "\\u{85}\\u{2028}\\u{202e}"],
  ["\ud800x", "\\u{d800}x"],
])("%j is shown as %j", (text, shown) => {
  expect(printable(text, 64)).toBe(shown);
});

test("a long text is cut between characters, and marked as cut", () => {
  expect(printable("😀😀😀", 2)).toBe("😀😀…");
  expect(printable("😀😀", 2)).toBe("😀😀");
});

test("the result is bounded and contains no control characters, whatever the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 50 }), (text, maxLength) => {
      const shown = printable(text, maxLength);
      expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
      expect(shown.length).toBeLessThanOrEqual(maxLength * 10 + 1);
    }),
  );
});
