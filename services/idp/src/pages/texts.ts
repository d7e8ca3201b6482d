import { filledText, type Language, type LanguageTag } from "@postern/shared/domain/localisation";
import ar from "./texts/ar.json" with { type: "json" };
import de from "./texts/de.json" with { type: "json" };
import en from "./texts/en.json" with { type: "json" };
import es from "./texts/es.json" with { type: "json" };
import fr from "./texts/fr.json" with { type: "json" };
import it from "./texts/it.json" with { type: "json" };
import ja from "./texts/ja.json" with { type: "json" };
import nl from "./texts/nl.json" with { type: "json" };
import pl from "./texts/pl.json" with { type: "json" };
import pt from "./texts/pt.json" with { type: "json" };
import ru from "./texts/ru.json" with { type: "json" };
import zh from "./texts/zh.json" with { type: "json" };

/** Texts of the pages. Keys are `<page>.<part>`; `{name}` is filled in. */
export type TextKey = keyof typeof en;

/** Each language has all texts. */
export const catalogues: Readonly<Record<LanguageTag, Readonly<Record<TextKey, string>>>> = Object.freeze({
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

export function textsOf({ tag, direction }: Language): Texts {
  const catalogue = catalogues[tag];
  return (key, values = {}) => filledText(catalogue[key], values, direction);
}

/** A text without soft hyphens, which mail programs and text editors may show. */
export function unhyphenated(text: string): string {
  return text.replaceAll("\u00AD", "");
}

export function isTextKey(key: string): key is TextKey {
  return Object.hasOwn(en, key);
}
