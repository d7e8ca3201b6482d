import { expect, test } from "vitest";
import { builtInCatalogues } from "./built-in.ts";
import { createCatalogues } from "./catalogues.ts";

const own = [
  { language: "en", texts: new Map([["site.moved", "Your mailbox moved"]]) },
  { language: "de", texts: new Map([["auth.denied", "Nein"]]) },
];
const catalogues = createCatalogues([...builtInCatalogues, ...own], "en");

test("a site's text takes precedence over a built-in one", () => {
  expect(catalogues.find("auth.denied", { acceptLanguage: "de" })).toEqual({ text: "Nein", language: "de" });
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
