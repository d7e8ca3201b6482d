import { lookUpLanguage, negotiateLanguage } from "./accept-language.ts";

/** Texts of one language; the keys are `namespace.name`. */
export interface Catalogue {
  readonly language: string;
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Later catalogues override earlier ones, text by text. `defaultLanguage` is used if the client requests only languages that are not
 * available.
 */
export function createCatalogues(all: readonly Catalogue[], defaultLanguage: string) {
  const byKey = new Map<string, Map<string, string>>();
  for (const { language, texts } of all) {
    for (const [key, text] of texts) {
      const languages = byKey.get(key) ?? new Map<string, string>();
      byKey.set(key, languages.set(language, text));
    }
  }
  return {
    /**
     * The text with its catalogue's language tag, in its original spelling. Undefined if no catalogue in an acceptable language has the text.
     * `fixed` takes precedence over what the client accepts.
     */
    find: (
      key: string,
      { fixed, acceptLanguage }: { readonly fixed?: string | undefined; readonly acceptLanguage?: string | undefined },
    ) => {
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

export type Catalogues = ReturnType<typeof createCatalogues>;
