/** One wish of `Accept-Language`: a language range in lower case and its weight, above 0. */
export interface LanguageWish {
  readonly range: string;
  readonly weight: number;
}

const maxHeaderLength = 1024;
const maxWishes = 32;
const range = /^(?:\*|[a-z]{1,8}(?:-[a-z0-9]{1,8})*)$/;
const quality = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

function wishOf(item: string): LanguageWish | undefined {
  const [name = "", parameter, ...more] = item.split(";").map((part) => part.trim().toLowerCase());
  if (!range.test(name) || more.length > 0) return undefined;
  if (parameter === undefined) return { range: name, weight: 1 };
  const weight = quality.exec(parameter.replaceAll(" ", ""))?.[1];
  return weight === undefined ? undefined : { range: name, weight: Number(weight) };
}

/**
 * The wishes of an `Accept-Language` header (RFC 9110 §12.5.4), the strongest first; equal ones keep their order.
 * Refused languages (`q=0`) and items that are none are left out, as is all beyond 1024 characters or 32 items.
 */
export function parseAcceptLanguage(header: string): readonly LanguageWish[] {
  return header
    .slice(0, maxHeaderLength)
    .split(",", maxWishes)
    .map(wishOf)
    .filter((wish): wish is LanguageWish => wish !== undefined && wish.weight > 0)
    .toSorted((one, other) => other.weight - one.weight);
}

/** Cuts a tag's last part, and a single letter before it: `zh-Hant-x-a` becomes `zh-Hant` (RFC 4647 §3.4). */
function shorter(tag: string): string {
  const cut = tag.slice(0, Math.max(0, tag.lastIndexOf("-")));
  return /-[a-z0-9]$/.test(cut) ? cut.slice(0, -2) : cut;
}

/** The offered language that a range means by lookup (RFC 4647 §3.4): `de-AT` finds `de`. Offers keep their spelling. */
export function lookUpLanguage(wanted: string, offered: readonly string[]): string | undefined {
  for (let tag = wanted.toLowerCase(); tag !== ""; tag = shorter(tag)) {
    const found = offered.find((offer) => offer.toLowerCase() === tag);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The offered language that suits the header best; undefined when none does. `*` takes the first offer. */
export function negotiateLanguage(header: string | undefined, offered: readonly string[]): string | undefined {
  if (header === undefined || offered.length === 0) return undefined;
  for (const { range: wanted } of parseAcceptLanguage(header)) {
    const found = wanted === "*" ? offered[0] : lookUpLanguage(wanted, offered);
    if (found !== undefined) return found;
  }
  return undefined;
}
