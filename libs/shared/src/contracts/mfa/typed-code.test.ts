import fc from "fast-check";
import { expect, test } from "vitest";
import { typedCode } from "./typed-code.ts";

test.each([
  ["full-width digits", "１２３４５６"],
  ["full-width digits with an ideographic space", "１２３\u3000４５６"],
  ["Arabic digits", "١٢٣٤٥٦"],
  ["Persian digits", "۱۲۳۴۵۶"],
  ["a space", " 123 456 "],
  ["a no-break space and a TAB", "123\u00A0456\t"],
  ["a hyphen", "123-456"],
  ["an en dash", "123–456"],
  ["an em dash", "123—456"],
  ["a minus sign", "123−456"],
  ["a full-width hyphen", "123－456"],
  ["a prolonged sound mark", "123ー456"],
  ["a zero-width space", "\u200B123456\uFEFF"],
  ["a bidirectional mark", "\u200F123456"],
])("a code with %s is the same code", (_what, text) => {
  expect(typedCode(text)).toBe("123456");
});

test("letters count without their case and width", () => {
  expect(typedCode("ａbcd–Ｅfgh")).toBe("ABCDEFGH");
});

test("a code of digits and letters stays as it is, wherever separators are typed", () => {
  const code = fc.stringMatching(/^[A-Z0-9]{1,12}$/);
  const separator = fc.constantFrom("", " ", "-", "–", "\u200B", "\u3000");
  fc.assert(
    fc.property(code, fc.array(separator, { minLength: 13, maxLength: 13 }), (plain, between) => {
      const typed = between.map((text, index) => text + (plain[index] ?? "")).join("");
      expect(typedCode(typed)).toBe(plain);
    }),
  );
});
