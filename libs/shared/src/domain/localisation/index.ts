export { acceptedLanguages, lookUpLanguage, negotiateLanguage } from "./accept-language.ts";
export { builtInCatalogues } from "./built-in.ts";
export { type Catalogue, type Catalogues, createCatalogues } from "./catalogues.ts";
