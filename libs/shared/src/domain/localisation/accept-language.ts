import Negotiator from "negotiator";

const maxHeaderLength = 1024;
const maxItems = 32;
/** A parameter that is not a weight from 0 to 1. Negotiator would take such an item for a language with weight 1. */
const otherParameter = /;(?!q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$)/i;

/**
 * The language ranges of an `Accept-Language` header (RFC 9110 §12.5.4) as they are spelled, the preferred one first;
 * equal weights keep their order. Left out are refused languages (`q=0`), malformed items, and everything after 1024
 * characters or 32 items. Spaces are removed because negotiator ignores an item with a space before its semicolon.
 */
export function acceptedLanguages(header = ""): readonly string[] {
  const items = header
    .slice(0, maxHeaderLength)
    .replaceAll(/[ \t]/g, "")
    .split(",", maxItems)
    .filter((item) => !otherParameter.test(item))
    // Negotiator reads only a weight whose name is in lower case.
    .map((item) => item.replace(";Q=", ";q="));
  return new Negotiator({ headers: { "accept-language": items.join(",") } }).languages();
}

/** Removes the last part of a tag, and a single character before it: `zh-Hant-x-a` becomes `zh-Hant` (RFC 4647 §3.4). */
function shorter(tag: string): string {
  const cut = tag.slice(0, Math.max(0, tag.lastIndexOf("-")));
  return /-[a-z0-9]$/.test(cut) ? cut.slice(0, -2) : cut;
}

/**
 * The offered language that a range finds by lookup (RFC 4647 §3.4): `de-AT` finds `de`, and `de` does not find `de-AT`,
 * which negotiator's own lookup would return. The result is spelled as it is offered.
 */
export function lookUpLanguage(wanted: string, offered: readonly string[]): string | undefined {
  for (let tag = wanted.toLowerCase(); tag !== ""; tag = shorter(tag)) {
    const found = offered.find((offer) => offer.toLowerCase() === tag);
    if (found !== undefined) return found;
  }
  return undefined;
}

const longestTag = 35;
/** Language, extended language, script, region, variants, extensions and private use (RFC 5646 §2.1). */
const wellFormed =
  /^[a-z]{2,3}(?:-[a-z]{3}){0,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*(?:-[a-wyz\d](?:-[a-z\d]{2,8})+)*(?:-x(?:-[a-z\d]{1,8})+)?$/i;

/** Whether a segment of a path is a language tag. Only what is not one leads to a 404: a language that is not offered falls back. */
export function isLanguageTag(text: string): boolean {
  return text.length <= longestTag && wellFormed.test(text);
}

/** The offered language that the header prefers; undefined if it accepts none. `*` takes the first one offered. */
export function negotiateLanguage(header: string | undefined, offered: readonly string[]): string | undefined {
  if (offered.length === 0) return undefined;
  for (const wanted of acceptedLanguages(header)) {
    const found = wanted === "*" ? offered[0] : lookUpLanguage(wanted, offered);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Regions and scripts of the texts that Postern's pages have in these languages. */
const written: Readonly<Record<string, string>> = { pt: "pt-PT", zh: "zh-Hans" };

/**
 * The complete tag of a page's language, for the attribute `lang` and for `Intl`: without it, browsers choose another font for Chinese, and
 * `Intl` writes Brazilian Portuguese.
 */
export function writtenTag(tag: string): string {
  return written[tag] ?? tag;
}
