import * as fc from "fast-check";
import { expect, test } from "vitest";
import { lookUpLanguage, negotiateLanguage, parseAcceptLanguage } from "./accept-language.ts";

test.each([
  ["de", ["de"], "de"],
  ["de-AT, en;q=0.5", ["en", "de"], "de"],
  ["fr, en;q=0.1", ["de", "en"], "en"],
  ["en;q=0.3, de;q=0.7", ["en", "de"], "de"],
  ["EN-gb", ["en"], "en"],
  ["zh-hant-x-abc", ["zh-Hant"], "zh-Hant"],
  ["*", ["de", "en"], "de"],
  ["fr, *;q=0.1", ["en"], "en"],
  ["en;q=0", ["en"], undefined],
  ["fr", ["en"], undefined],
  ["", ["en"], undefined],
  ["en;q=2", ["en"], undefined],
  ["en;x=1", ["en"], undefined],
  ["en_US", ["en"], undefined],
  [undefined, ["en"], undefined],
  ["en", [], undefined],
])("Accept-Language %s with %s gives %s", (header, offered, expected) => {
  expect(negotiateLanguage(header, offered)).toBe(expected);
});

test("wishes of equal weight keep their order", () => {
  expect(parseAcceptLanguage("de;q=0.5, en , fr").map(({ range }) => range)).toEqual(["en", "fr", "de"]);
});

test("a longer offer is not what a shorter range means", () => {
  expect(lookUpLanguage("de", ["de-AT"])).toBeUndefined();
});

test("any header gives bounded wishes with weights above 0", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 2000 }), (header) => {
      const wishes = parseAcceptLanguage(header);
      expect(wishes.length).toBeLessThanOrEqual(32);
      for (const { weight } of wishes) expect(weight > 0 && weight <= 1).toBe(true);
    }),
  );
});

const tag = fc.stringMatching(/^[a-z]{2,3}(?:-[A-Z]{2})?$/);

test("what is chosen was offered, and an offered first wish is taken", () => {
  fc.assert(
    fc.property(fc.array(tag, { minLength: 1, maxLength: 8 }), fc.array(tag, { maxLength: 8 }), (wanted, offered) => {
      const chosen = negotiateLanguage(wanted.join(", "), offered);
      if (chosen !== undefined) expect(offered).toContain(chosen);
      const [first = ""] = wanted;
      if (offered.includes(first)) expect(chosen?.toLowerCase()).toBe(first.toLowerCase());
    }),
  );
});
