/** In order of preference; part of the HTTP interface. */
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

/** Commas and semicolons inside quoted strings are not separators (RFC 9110 section 5.6.4). */
const quoted = /"(?:[^"\\]|\\.)*"/g;
const mediaRange = /^(?:\*\/\*|[!#$%&'*+.^_`|~0-9a-z-]+\/(?:\*|[!#$%&'*+.^_`|~0-9a-z-]+))$/;
/** Java's default field uses `*` for everything and `.2` for 0.2. */
const weight = /^q\s*=\s*(0?\.\d{1,3}|0\.?|1(?:\.0{0,3})?)$/;

/**
 * Undefined for an invalid range, which then accepts nothing. Parameters other than the weight do not narrow the offered types.
 */
function parseRange(element: string): MediaRange | undefined {
  const [written = "", ...parameters] = element.split(";").map((part) => part.trim().toLowerCase());
  const range = written === "*" ? "*/*" : written;
  if (!mediaRange.test(range)) return undefined;
  const qParameter = parameters.find((parameter) => /^q\s*=/.test(parameter));
  if (qParameter === undefined) return { range, quality: 1 };
  const value = weight.exec(qParameter)?.[1];
  return value === undefined ? undefined : { range, quality: Number(value) };
}

/**
 * The most specific range that covers the type applies (RFC 9110 section 12.5.1); of two equal ones the higher quality.
 */
function qualityOf(type: ListType, ranges: readonly MediaRange[]): number {
  for (const pattern of [type, `${type.slice(0, type.indexOf("/"))}/*`, "*/*"]) {
    const matching = ranges.filter(({ range }) => range === pattern).map(({ quality }) => quality);
    if (matching.length > 0) return Math.max(...matching);
  }
  return 0;
}

/**
 * The media type of a list of accounts; undefined if the caller accepts none of the offered types (415). The highest quality wins, then the
 * order of preference. A missing or empty field accepts everything. An invalid media range, or one with an invalid weight, accepts nothing,
 * because guessing would send a format that was not requested.
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
