export { acceptedLanguages, isLanguageTag, lookUpLanguage, negotiateLanguage, writtenTag } from "./accept-language.ts";
export { builtInCatalogues, withBuiltIn } from "./built-in.ts";
export { type Catalogue, type Catalogues, createCatalogues } from "./catalogues.ts";
export { filledText } from "./filled-text.ts";
export { type Language, type LanguageTag, languageOf, languages, localeOf, pickLanguage } from "./languages.ts";
