/** A language that we have texts for. */
export interface Language {
  /** BCP 47. */
  readonly tag: LanguageTag;
  /** Its own name for itself. */
  readonly name: string;
  readonly direction: "ltr" | "rtl";
}

export type LanguageTag = "en" | "de" | "fr" | "es" | "it" | "pt" | "nl" | "pl" | "ru" | "zh" | "ja" | "ar";

/** For the attribute `lang`: Chinese has two scripts, and browsers pick a font by it. */
export function writtenTag({ tag }: Pick<Language, "tag">): string {
  return tag === "zh" ? "zh-Hans" : tag;
}

export const languages: readonly Language[] = Object.freeze([
  { tag: "en", name: "English", direction: "ltr" },
  { tag: "de", name: "Deutsch", direction: "ltr" },
  { tag: "fr", name: "Français", direction: "ltr" },
  { tag: "es", name: "Español", direction: "ltr" },
  { tag: "it", name: "Italiano", direction: "ltr" },
  { tag: "pt", name: "Português", direction: "ltr" },
  { tag: "nl", name: "Nederlands", direction: "ltr" },
  { tag: "pl", name: "Polski", direction: "ltr" },
  { tag: "ru", name: "Русский", direction: "ltr" },
  { tag: "zh", name: "中文", direction: "ltr" },
  { tag: "ja", name: "日本語", direction: "ltr" },
  { tag: "ar", name: "العربية", direction: "rtl" },
]);

/** The offered language of this tag as a URL spells it, in any case; no other tag is that language. */
export function languageOf(tag: string, offered: readonly Language[]): Language | undefined {
  const wanted = tag.toLowerCase();
  return offered.find((language) => language.tag === wanted);
}

/** RFC 4647 §3.4: the range is shortened from its end until a language fits. */
function lookUp(range: string, offered: readonly Language[]): Language | undefined {
  for (let rest = range.trim().toLowerCase(); rest !== ""; rest = rest.slice(0, Math.max(0, rest.lastIndexOf("-")))) {
    const found = languageOf(rest, offered);
    if (found !== undefined) return found;
  }
  return undefined;
}

const longestHeader = 512;

/** The ranges of `Accept-Language`, the most wanted first (RFC 9110 §12.5.4). Those of weight 0 are not wanted. */
function acceptedRanges(header: string): readonly string[] {
  return header
    .slice(0, longestHeader)
    .split(",")
    .map((item) => {
      const [range = "", ...parameters] = item.split(";").map((part) => part.trim());
      const weight = parameters.find((parameter) => parameter.startsWith("q="));
      const quality = weight === undefined ? 1 : Number(weight.slice(2));
      return { range, quality: quality >= 0 && quality <= 1 ? quality : 0 };
    })
    .filter(({ range, quality }) => /^[A-Za-z0-9-]{1,35}$/.test(range) && quality > 0)
    .toSorted((left, right) => right.quality - left.quality)
    .map(({ range }) => range);
}

export interface LanguageWishes {
  /** Of the URL: it has been found to be offered. */
  readonly chosen: Language | undefined;
  /** Of the cookie. */
  readonly kept: string | undefined;
  /** OIDC `ui_locales`: tags with spaces between them. */
  readonly uiLocales: string | undefined;
  readonly acceptLanguage: string | undefined;
}

/** URL before cookie before the application's wish before the browser's; the first of `offered` is not special. */
export function pickLanguage(wishes: LanguageWishes, offered: readonly Language[], fallback: Language): Language {
  if (wishes.chosen !== undefined) return wishes.chosen;
  const ranges = [
    ...(wishes.kept === undefined ? [] : [wishes.kept]),
    ...(wishes.uiLocales?.slice(0, longestHeader).split(" ") ?? []),
    ...acceptedRanges(wishes.acceptLanguage ?? ""),
  ];
  for (const range of ranges) {
    const found = lookUp(range, offered);
    if (found !== undefined) return found;
  }
  return fallback;
}
