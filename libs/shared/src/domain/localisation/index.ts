export { acceptedLanguages, isLanguageTag, lookUpLanguage, negotiateLanguage } from "./accept-language.ts";
export { builtInCatalogues, withBuiltIn } from "./built-in.ts";
export { type Catalogue, type Catalogues, createCatalogues } from "./catalogues.ts";
export { writtenTag } from "./written-tag.ts";
