export { acceptedLanguages, isLanguageTag, lookUpLanguage, negotiateLanguage, writtenTag } from "./accept-language.ts";
export { builtInCatalogues, withBuiltIn } from "./built-in.ts";
export { type Catalogue, type Catalogues, createCatalogues } from "./catalogues.ts";
