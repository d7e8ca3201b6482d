/** In the order that the contract prefers ("Content negotiation for mode=list-accounts"). */
export const listTypes = [
  "application/cbor",
  "application/json",
  "application/x-www-form-urlencoded",
  "text/plain",
] as const;
export type ListType = (typeof listTypes)[number];

interface MediaRange {
  readonly range: string;
  readonly quality: number;
}

/** Commas and semicolons inside quoted strings separate nothing (RFC 9110 section 5.6.4). */
const quoted = /"(?:[^"\\]|\\.)*"/g;
const mediaRange = /^(?:\*\/\*|[!#$%&'*+.^_`|~0-9a-z-]+\/(?:\*|[!#$%&'*+.^_`|~0-9a-z-]+))$/;
const weight = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** Undefined for what is none; it then accepts nothing. Parameters other than the weight narrow nothing that we offer. */
function parseRange(element: string): MediaRange | undefined {
  const [range = "", ...parameters] = element.split(";").map((part) => part.trim().toLowerCase());
  if (!mediaRange.test(range)) return undefined;
  const given = parameters.find((parameter) => /^q\s*=/.test(parameter));
  if (given === undefined) return { range, quality: 1 };
  const value = weight.exec(given)?.[1];
  return value === undefined ? undefined : { range, quality: Number(value) };
}

/** The most specific range that covers the type decides (RFC 9110 section 12.5.1); of two equal ones the higher. */
function qualityOf(type: ListType, ranges: readonly MediaRange[]): number {
  for (const pattern of [type, `${type.slice(0, type.indexOf("/"))}/*`, "*/*"]) {
    const matching = ranges.filter(({ range }) => range === pattern).map(({ quality }) => quality);
    if (matching.length > 0) return Math.max(...matching);
  }
  return 0;
}

/**
 * The media type of a list of accounts, or undefined when nothing that the caller accepts is offered (415). The highest
 * quality wins, and the contract's order among equals. A missing or empty field accepts everything. An element that is
 * no media range, or has a weight that is none, accepts nothing: to guess would send bytes that nobody asked for.
 */
export function negotiateListType(accept: string | undefined): ListType | undefined {
  const elements = (accept ?? "")
    .replaceAll(quoted, '""')
    .split(",")
    .map((element) => element.trim())
    .filter((element) => element !== "");
  if (elements.length === 0) return listTypes[0];
  const ranges = elements.flatMap((element) => parseRange(element) ?? []);
  let best: ListType | undefined;
  let bestQuality = 0;
  for (const type of listTypes) {
    const quality = qualityOf(type, ranges);
    if (quality <= bestQuality) continue;
    best = type;
    bestQuality = quality;
  }
  return best;
}
