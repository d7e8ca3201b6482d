import {
  acceptedLanguages,
  type Language,
  type LanguageTag,
  languages,
  lookUpLanguage,
} from "@postern/shared/domain/localisation";
import ar from "./ar.json" with { type: "json" };
import de from "./de.json" with { type: "json" };
import es from "./es.json" with { type: "json" };
import fr from "./fr.json" with { type: "json" };
import it from "./it.json" with { type: "json" };
import ja from "./ja.json" with { type: "json" };
import nl from "./nl.json" with { type: "json" };
import pl from "./pl.json" with { type: "json" };
import pt from "./pt.json" with { type: "json" };
import ru from "./ru.json" with { type: "json" };
import { type Catalogue, english } from "./texts.ts";
import zh from "./zh.json" with { type: "json" };

/** A language of the console. */
export interface ConsoleLanguage extends Language {
  readonly texts: Catalogue;
}

const catalogues: Readonly<Partial<Record<LanguageTag, Catalogue>>> = {
  ar,
  de,
  es,
  fr,
  it,
  ja,
  nl,
  pl,
  pt,
  ru,
  zh,
};

export const englishLanguage: ConsoleLanguage = { tag: "en", name: "English", direction: "ltr", texts: english };

/** Those that are complete, in the order of the sign-in pages. */
export const consoleLanguages: readonly ConsoleLanguage[] = languages.flatMap((language) => {
  const texts = catalogues[language.tag];
  if (language.tag === "en") return [englishLanguage];
  return texts === undefined ? [] : [{ ...language, texts }];
});

const tags: readonly string[] = consoleLanguages.map(({ tag }) => tag);

export const isConsoleLanguage = (tag: string): boolean => tags.includes(tag);

/** The preferred language, or the first that the browser accepts, or English. */
export function consoleLanguage(preferred: string | undefined, acceptLanguage: string | undefined): ConsoleLanguage {
  for (const range of [...(preferred === undefined ? [] : [preferred]), ...acceptedLanguages(acceptLanguage)]) {
    const found = lookUpLanguage(range, tags);
    if (found !== undefined) return consoleLanguages.find(({ tag }) => tag === found) ?? englishLanguage;
  }
  return englishLanguage;
}
