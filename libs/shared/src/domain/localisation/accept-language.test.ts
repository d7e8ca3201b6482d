import * as fc from "fast-check";
import { expect, test } from "vitest";
import { acceptedLanguages, isLanguageTag, lookUpLanguage, negotiateLanguage } from "./accept-language.ts";

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
  ["fr \t;q=0.5, en;q=0.4", ["en", "fr"], "fr"],
  ["fr; q=0.4, en ; q=0.5 ", ["en", "fr"], "en"],
  [undefined, ["en"], undefined],
  ["en", [], undefined],
])("Accept-Language %s with %s gives %s", (header, offered, expected) => {
  expect(negotiateLanguage(header, offered)).toBe(expected);
});

test("languages of equal weight keep their order and their spelling", () => {
  expect(acceptedLanguages("de;q=0.5, en-GB , fr")).toEqual(["en-GB", "fr", "de"]);
});

test("a weight counts in any case of its name", () => {
  expect(acceptedLanguages("de;Q=0, fr;Q=0.1, en")).toEqual(["en", "fr"]);
});

test("a range does not find a longer tag", () => {
  expect(lookUpLanguage("de", ["de-AT"])).toBeUndefined();
});

test.each([
  "de",
  "DE",
  "de-AT",
  "zh-Hant-TW",
  "es-419",
  "sl-rozaj-1994",
  "de-u-co-phonebk",
  "xx",
  "yue",
  "zh-cmn-Hans",
  "de-x-a",
])("%s is a language tag", (text) => {
  expect(isLanguageTag(text)).toBe(true);
});

test.each([
  "",
  "d",
  "d1",
  "de_AT",
  "de-",
  "-de",
  "de--AT",
  "no-such-thing-here",
  "de-AT-",
  "x".repeat(43),
  `de${"-abcde".repeat(7)}`,
  "de\n",
  "dé",
])("%j is no language tag", (text) => {
  expect(isLanguageTag(text)).toBe(false);
});

test("every canonical locale of the runtime is a language tag", () => {
  const part = fc.stringMatching(/^[a-zA-Z\d]{1,8}$/);
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
      const text = ["de", ...parts].join("-");
      const isLocale = (() => {
        try {
          return Intl.getCanonicalLocales(text).length === 1;
        } catch {
          return false;
        }
      })();
      if (isLocale && text.length <= 35) expect([text, isLanguageTag(text)]).toEqual([text, true]);
    }),
  );
});

test("any header results in a bounded list", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 2000 }), (header) => {
      expect(acceptedLanguages(header).length).toBeLessThanOrEqual(32);
    }),
  );
});

const tag = fc.stringMatching(/^[a-z]{2,3}(?:-[A-Z]{2})?$/);

test("the result is an offered language, and a preferred language is chosen if it is offered", () => {
  fc.assert(
    fc.property(fc.array(tag, { minLength: 1, maxLength: 8 }), fc.array(tag, { maxLength: 8 }), (wanted, offered) => {
      const chosen = negotiateLanguage(wanted.join(", "), offered);
      if (chosen !== undefined) expect(offered).toContain(chosen);
      const [first = ""] = wanted;
      if (offered.includes(first)) expect(chosen?.toLowerCase()).toBe(first.toLowerCase());
    }),
  );
});
