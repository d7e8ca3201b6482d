import fc from "fast-check";
import { expect, test } from "vitest";
import { asciiOnly } from "./ascii.ts";

test("the escaped program is ASCII and equivalent", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const program = JSON.stringify(text).replaceAll("$", "\\u0024");
      fc.pre(!/\\[^\0-\x7f]/u.test(program));
      const escaped = asciiOnly(program);
      expect(escaped).toMatch(/^[\0-\x7f]*$/u);
      expect(JSON.parse(escaped)).toBe(text);
    }),
  );
});

test("line breaks are preserved", () => {
  expect(asciiOnly('"§"\n/…/u\n// \u2028\n').split("\n")).toHaveLength(4);
});

test("a character after a backslash is rejected, because its escape would have another meaning", () => {
  expect(() => asciiOnly(String.raw`"\é"`)).toThrow("the character é follows a backslash and cannot be escaped");
});

test("a character after an escaped backslash is escaped", () => {
  expect(JSON.parse(asciiOnly(String.raw`"\\é"`))).toBe("\\é");
});
