import type { Config } from "../../platform/config/index.ts";
import { acceptedLanguages, lookUpLanguage, writtenTag } from "./accept-language.ts";

/** A language of the pages. */
export interface Language {
  /** BCP 47. */
  readonly tag: LanguageTag;
  /** Its own name for itself. */
  readonly name: string;
  readonly direction: "ltr" | "rtl";
}

export type LanguageTag = Config["identity"]["frontend"]["localization"]["default_language"];

export const languages: readonly Language[] = Object.freeze([
  { tag: "en", name: "English", direction: "ltr" },
  { tag: "de", name: "Deutsch", direction: "ltr" },
  { tag: "fr", name: "Français", direction: "ltr" },
  { tag: "es", name: "Español", direction: "ltr" },
  { tag: "it", name: "Italiano", direction: "ltr" },
  { tag: "pt", name: "Português (Portugal)", direction: "ltr" },
  { tag: "nl", name: "Nederlands", direction: "ltr" },
  { tag: "pl", name: "Polski", direction: "ltr" },
  { tag: "ru", name: "Русский", direction: "ltr" },
  { tag: "zh", name: "中文", direction: "ltr" },
  { tag: "ja", name: "日本語", direction: "ltr" },
  { tag: "ar", name: "العربية", direction: "rtl" },
]);

/** The offered language that a tag finds by lookup (RFC 4647 §3.4): `de-AT` finds `de`. */
export function languageOf(tag: string, offered: readonly Language[]): Language | undefined {
  const tags = offered.map((language) => language.tag);
  const found = lookUpLanguage(tag, tags);
  return offered.find((language) => language.tag === found);
}

const maxHintLength = 512;

/** The locale for times: the first accepted language that is the page's and has a region. */
export function localeOf({ tag }: Pick<Language, "tag">, acceptLanguage: string | undefined): string {
  const regional = acceptedLanguages(acceptLanguage).find((range) => range.toLowerCase().startsWith(`${tag}-`));
  if (regional === undefined) return writtenTag(tag);
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(regional)[0] ?? writtenTag(tag);
  } catch {
    // Not every range is a valid tag.
    return writtenTag(tag);
  }
}

export interface LanguageWishes {
  /** From the URL; one of those offered. */
  readonly chosen: Language | undefined;
  /** From the cookie. */
  readonly kept: string | undefined;
  /** OIDC `ui_locales`: tags separated by spaces. */
  readonly uiLocales: string | undefined;
  readonly acceptLanguage: string | undefined;
}

/** The first that is offered: from the URL, the cookie, the application, the browser, or `fallback`. */
export function pickLanguage(wishes: LanguageWishes, offered: readonly Language[], fallback: Language): Language {
  if (wishes.chosen !== undefined) return wishes.chosen;
  const ranges = [
    ...(wishes.kept === undefined ? [] : [wishes.kept]),
    ...(wishes.uiLocales?.slice(0, maxHintLength).split(" ") ?? []),
    ...acceptedLanguages(wishes.acceptLanguage),
  ];
  for (const range of ranges) {
    const found = languageOf(range.trim(), offered);
    if (found !== undefined) return found;
  }
  return fallback;
}
