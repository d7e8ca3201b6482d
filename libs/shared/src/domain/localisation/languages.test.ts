import fc from "fast-check";
import { expect, test } from "vitest";
import { languageOf, languages, pickLanguage } from "./languages.ts";

const [english] = languages;
if (english === undefined) throw new Error("no language");
const pick = (wishes: Partial<Parameters<typeof pickLanguage>[0]>) =>
  pickLanguage(
    { chosen: undefined, kept: undefined, uiLocales: undefined, acceptLanguage: undefined, ...wishes },
    languages,
    english,
  ).tag;

test("a language tag in a URL is looked up in upper or lower case, and other text finds no language", () => {
  for (const tag of ["DE", "de-DE", "de-at-1996"]) expect(languageOf(tag, languages)?.tag).toBe("de");
  fc.assert(
    fc.property(fc.string(), (tag) => {
      const found = languageOf(tag, languages);
      expect(found === undefined || found.tag === tag.toLowerCase().split("-", 1)[0]).toBe(true);
    }),
  );
});

test.each([
  ["de-AT,en;q=0.5", "de"],
  ["zh-Hant-TW", "zh"],
  ["xx, pt-BR;q=0.1", "pt"],
  ["fr;q=0, it;q=0.2", "it"],
  ["en;q=0.1, ja", "ja"],
  ["*", "en"],
  ["", "en"],
])("Accept-Language %j selects %s", (acceptLanguage, tag) => {
  expect(pick({ acceptLanguage })).toBe(tag);
});

test("the URL takes precedence over the cookie, the cookie over ui_locales, and ui_locales over the browser", () => {
  const arabic = languageOf("ar", languages);
  const all = { chosen: arabic, kept: "pl", uiLocales: "nl de", acceptLanguage: "ru" };
  expect(pick(all)).toBe("ar");
  expect(pick({ ...all, chosen: undefined })).toBe("pl");
  expect(pick({ ...all, chosen: undefined, kept: "xx" })).toBe("nl");
});

test("every request is answered in a supported language", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (kept, uiLocales, acceptLanguage) => {
      expect(languages.some(({ tag }) => tag === pick({ kept, uiLocales, acceptLanguage }))).toBe(true);
    }),
  );
});
