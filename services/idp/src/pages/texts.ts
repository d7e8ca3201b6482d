import { ar } from "./catalogues/ar.ts";
import { de } from "./catalogues/de.ts";
import { type Catalogue, en, type TextKey } from "./catalogues/en.ts";
import { es } from "./catalogues/es.ts";
import { fr } from "./catalogues/fr.ts";
import { it } from "./catalogues/it.ts";
import { ja } from "./catalogues/ja.ts";
import { nl } from "./catalogues/nl.ts";
import { pl } from "./catalogues/pl.ts";
import { pt } from "./catalogues/pt.ts";
import { ru } from "./catalogues/ru.ts";
import { zh } from "./catalogues/zh.ts";
import type { Language, LanguageTag } from "./languages.ts";

export const catalogues: Readonly<Record<LanguageTag, Catalogue>> = Object.freeze({
  en,
  de,
  fr,
  es,
  it,
  pt,
  nl,
  pl,
  ru,
  zh,
  ja,
  ar,
});

/** The text of a key with its `{names}` replaced. */
export type Texts = (key: TextKey, values?: Readonly<Record<string, string>>) => string;

/** Isolates a value whose direction may differ from the text's (Unicode UAX #9, FSI and PDI). */
const isolated = (value: string): string => `\u2068${value}\u2069`;

export function textsOf({ tag, direction }: Language): Texts {
  const catalogue = catalogues[tag];
  return (key, values = {}) =>
    catalogue[key].replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value === undefined) return whole;
      return direction === "rtl" ? isolated(value) : value;
    });
}

/** A text without soft hyphens, which mail programs and text editors may show. */
export function unhyphenated(text: string): string {
  return text.replaceAll("\u00AD", "");
}

export function isTextKey(key: string): key is TextKey {
  return Object.hasOwn(en, key);
}
