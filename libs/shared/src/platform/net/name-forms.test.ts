import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalName, nameForms } from "./name-forms.ts";

const [a, u] = ["grete@xn--bcher-kva.example", "grete@bücher.example"];

describe("a name with an internationalised domain", () => {
  test.each([
    u,
    a,
    "grete@BÜCHER.example",
    "grete@XN--BCHER-KVA.example",
    "grete@bu\u0308cher.example",
    "grete@bücher。example",
  ])("%s is compared with A-labels, and sought in both forms", (name) => {
    expect(canonicalName(name)).toBe(a);
    expect(nameForms(name)).toEqual([a, u]);
  });

  test("keeps its local part, and everything before the last @", () => {
    expect(canonicalName("Grete+Büro@bücher.example")).toBe("Grete+Büro@xn--bcher-kva.example");
    expect(canonicalName("a@ü.test@bücher.example")).toBe("a@ü.test@xn--bcher-kva.example");
  });
});

test.each([
  "",
  "grete",
  "gräte",
  "Grete@Example.TEST",
  "grete@localhost",
  "grete@",
  "@",
  "grete@ü",
  "grete@bücher example.test",
  "grete@[ü]",
])("%j stays as it is", (name) => {
  expect(canonicalName(name)).toBe(name);
  expect(nameForms(name)).toEqual([name]);
});

test("every form of any name has the same canonical form and the same forms", () => {
  const domain = fc.oneof(
    fc.domain(),
    fc.constantFrom("bücher.example", "straße.test", "例え.テスト", "ｅxample.test"),
  );
  const name = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.tuple(fc.string({ maxLength: 8 }), domain).map(([local, host]) => `${local}@${host}`),
  );
  fc.assert(
    fc.property(name, (text) => {
      const forms = nameForms(text);
      expect(forms[0]).toBe(canonicalName(text));
      for (const form of forms) {
        expect(canonicalName(form)).toBe(forms[0]);
        expect(nameForms(form)).toEqual(forms);
      }
    }),
  );
});
