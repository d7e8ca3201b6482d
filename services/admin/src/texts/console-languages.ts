import {
  acceptedLanguages,
  type Language,
  type LanguageTag,
  languages,
  lookUpLanguage,
} from "@postern/shared/domain/localisation";
import ar from "./ar.json?raw";
import de from "./de.json?raw";
import es from "./es.json?raw";
import fr from "./fr.json?raw";
import it from "./it.json?raw";
import ja from "./ja.json?raw";
import nl from "./nl.json?raw";
import pl from "./pl.json?raw";
import pt from "./pt.json?raw";
import ru from "./ru.json?raw";
import { type Catalogue, english, isCatalogue } from "./texts.ts";
import zh from "./zh.json?raw";

/** A language of the console. */
export interface ConsoleLanguage extends Language {
  readonly texts: () => Catalogue;
}

/** Text of the files; one is read when somebody first uses its language. */
const files: Readonly<Partial<Record<LanguageTag, string>>> = {
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

function lazily(file: string): () => Catalogue {
  let texts: Catalogue | undefined;
  return () => {
    if (texts !== undefined) return texts;
    const read: unknown = JSON.parse(file);
    if (!isCatalogue(read)) throw new Error("a language of the console lacks texts");
    texts = read;
    return read;
  };
}

export const englishLanguage: ConsoleLanguage = { tag: "en", name: "English", direction: "ltr", texts: () => english };

/** Those that are complete, in the order of the sign-in pages. */
export const consoleLanguages: readonly ConsoleLanguage[] = languages.flatMap((language) => {
  const file = files[language.tag];
  if (language.tag === "en") return [englishLanguage];
  return file === undefined ? [] : [{ ...language, texts: lazily(file) }];
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
