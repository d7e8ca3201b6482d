import { expect, test } from "vitest";
import { builtInCatalogues } from "./built-in.ts";
import { createCatalogues } from "./catalogues.ts";

const own = [
  { language: "en", texts: new Map([["site.moved", "Your mailbox moved"]]) },
  { language: "de", texts: new Map([["auth.denied", "Nein"]]) },
];
const catalogues = createCatalogues([...builtInCatalogues, ...own], "en");

test("a site's text wins over one that is built in", () => {
  expect(catalogues.find("auth.denied", { acceptLanguage: "de" })).toEqual({ text: "Nein", language: "de" });
});

test("the default language serves whoever asks for none that has the text", () => {
  expect(catalogues.find("site.moved", { acceptLanguage: "de" })).toEqual({
    text: "Your mailbox moved",
    language: "en",
  });
});

test("a fixed language wins, and has no stand-in", () => {
  expect(catalogues.find("auth.denied", { fixed: "en-GB", acceptLanguage: "de" })?.language).toBe("en");
  expect(catalogues.find("site.moved", { fixed: "de" })).toBeUndefined();
});

test("an unknown key has no text", () => {
  expect(catalogues.find("auth.nothing", {})).toBeUndefined();
});

test("every built-in text is there in every language", () => {
  const [first, ...others] = builtInCatalogues.map(({ texts }) => [...texts.keys()]);
  for (const keys of others) expect(keys).toEqual(first);
});
