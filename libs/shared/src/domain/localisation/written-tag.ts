/** Regions and scripts of the texts that Postern's pages have in these languages. */
const written: Readonly<Record<string, string>> = { pt: "pt-PT", zh: "zh-Hans" };

/**
 * The complete tag of a page's language, for the attribute `lang` and for `Intl`: without it, browsers choose another font for Chinese, and
 * `Intl` writes Brazilian Portuguese.
 */
export function writtenTag(tag: string): string {
  return written[tag] ?? tag;
}
