import { languages } from "@postern/shared/domain/localisation";
import { describe, expect, test } from "vitest";
import { catalogues, isTextKey, textsOf } from "./texts.ts";

const { en } = catalogues;
const placeholders = (text: string): readonly string[] => (text.match(/\{\w+\}/g) ?? []).toSorted();

describe.each(languages)("$name", (language) => {
  const catalogue = catalogues[language.tag];

  test("has every text of the pages and no other", () => {
    expect(Object.keys(catalogue)).toEqual(Object.keys(en));
    expect(Object.entries(catalogue).filter(([, text]) => text.trim() !== text || text === "")).toEqual([]);
  });

  test("has the same placeholders in its texts as English", () => {
    const differ = Object.keys(en)
      .filter(isTextKey)
      .filter((key) => placeholders(catalogue[key]).join() !== placeholders(en[key]).join());
    expect(differ).toEqual([]);
  });

  test("is translated", () => {
    const same = Object.keys(en)
      .filter(isTextKey)
      .filter((key) => catalogue[key] === en[key]);
    expect(same.length).toBeLessThan(language.tag === "en" ? Number.POSITIVE_INFINITY : 6);
  });
});

test("placeholders inside values are not replaced; values in right-to-left texts are isolated", () => {
  const [english] = languages;
  const arabic = languages.find(({ direction }) => direction === "rtl");
  if (english === undefined || arabic === undefined) throw new Error("no languages");
  expect(textsOf(english)("login.to", { client: "{brand} $&" })).toBe("to continue to {brand} $&");
  expect(textsOf(arabic)("login.to", { client: "Webmail" })).toContain("\u2068Webmail\u2069");
});
