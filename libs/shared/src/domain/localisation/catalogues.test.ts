import { expect, test } from "vitest";
import { builtInCatalogues, withBuiltIn } from "./built-in.ts";
import { createCatalogues } from "./catalogues.ts";

const own = [
  { language: "en", texts: new Map([["site.moved", "Your mailbox moved"]]) },
  { language: "de", texts: new Map([["auth.denied", "Nein"]]) },
];
const catalogues = createCatalogues(withBuiltIn(own, "en"), "en");

test("a site's text takes precedence over a built-in one", () => {
  expect(catalogues.find("auth.denied", { acceptLanguage: "de" })).toEqual({ text: "Nein", language: "de" });
});

test("a text that the site defines is not replaced by a built-in one in the client's language, except in English and German", () => {
  const texts = new Map([["auth.account_locked", "Chiama il 123"]]);
  const site = withBuiltIn([{ language: "it", texts }], "it");
  const find = (key: string, acceptLanguage: string) => createCatalogues(site, "it").find(key, { acceptLanguage });
  expect(find("auth.account_locked", "fr")?.text).toBe("Chiama il 123");
  expect(find("auth.account_locked", "de")?.language).toBe("de");
  expect(find("auth.denied", "fr")?.language).toBe("fr");
  const other = createCatalogues(withBuiltIn([{ language: "it", texts }], "en"), "en");
  expect(other.find("auth.account_locked", { acceptLanguage: "fr" })?.language).toBe("fr");
});

test("the default language is used if no requested language has the text", () => {
  expect(catalogues.find("site.moved", { acceptLanguage: "de" })).toEqual({
    text: "Your mailbox moved",
    language: "en",
  });
});

test("a fixed language takes precedence and has no fallback", () => {
  expect(catalogues.find("auth.denied", { fixed: "en-GB", acceptLanguage: "de" })?.language).toBe("en");
  expect(catalogues.find("site.moved", { fixed: "de" })).toBeUndefined();
});

test("an unknown key has no text", () => {
  expect(catalogues.find("auth.nothing", {})).toBeUndefined();
});

test("every built-in text exists in every language", () => {
  const [first, ...others] = builtInCatalogues.map(({ texts }) => [...texts.keys()]);
  for (const keys of others) expect(keys).toEqual(first);
});
