import { lookUpLanguage, negotiateLanguage } from "./accept-language.ts";

/** Texts of one language; the keys are `namespace.name`. */
export interface Catalogue {
  readonly language: string;
  readonly texts: ReadonlyMap<string, string>;
}

/** Which language to speak: `fixed` wins over what the client accepts. */
export interface LanguageChoice {
  readonly fixed?: string | undefined;
  readonly acceptLanguage?: string | undefined;
}

export interface LocalisedText {
  readonly text: string;
  /** The catalogue's language tag, as it is spelled there. */
  readonly language: string;
}

export interface Catalogues {
  /** Undefined when the text is in no catalogue of a language that may be spoken. */
  find(key: string, choice: LanguageChoice): LocalisedText | undefined;
}

/** Later catalogues win over earlier ones, text by text. `defaultLanguage` serves whoever asks for none that is there. */
export function createCatalogues(all: readonly Catalogue[], defaultLanguage: string): Catalogues {
  const byKey = new Map<string, Map<string, string>>();
  for (const { language, texts } of all) {
    for (const [key, text] of texts) {
      const languages = byKey.get(key) ?? new Map<string, string>();
      byKey.set(key, languages.set(language, text));
    }
  }
  return {
    find: (key, { fixed, acceptLanguage }) => {
      const languages = byKey.get(key);
      if (languages === undefined) return undefined;
      const offered = [...languages.keys()];
      const language =
        fixed === undefined
          ? (negotiateLanguage(acceptLanguage, offered) ?? lookUpLanguage(defaultLanguage, offered))
          : lookUpLanguage(fixed, offered);
      const text = language === undefined ? undefined : languages.get(language);
      return language === undefined || text === undefined ? undefined : { text, language };
    },
  };
}
