import { encodeCbor } from "@postern/shared/platform/cbor";
import type { ListType } from "./negotiate.ts";

/** Converts the pages of one list to the bytes of its body. */
export interface ListRenderer {
  readonly contentType: string;
  /** The bytes of a page; `isLast` completes the list. */
  page(names: readonly string[], isLast: boolean): Buffer;
}

/** Control characters, and what some readers take for the end of a line. */
// oxlint-disable-next-line no-control-regex -- control characters are what it finds
const unlistable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Excludes names that would appear as two names, or as none, in a list of lines. */
export function isListable(name: string): boolean {
  return name !== "" && !unlistable.test(name);
}

const cborIndefiniteArray = Buffer.from([0x9f]);
const cborBreak = Buffer.from([0xff]);
const nothing = Buffer.alloc(0);

/**
 * One array of text strings: of definite length if it fits into one page, otherwise of indefinite length, because the count is unknown
 * while the list is being read (RFC 8949 section 3.2.2).
 */
function cborRenderer(): ListRenderer {
  let isFirst = true;
  return {
    contentType: "application/cbor",
    page: (names, isLast) => {
      if (isFirst && isLast) return encodeCbor(names);
      const begin = isFirst ? cborIndefiniteArray : nothing;
      isFirst = false;
      return Buffer.concat([begin, ...names.map(encodeCbor), isLast ? cborBreak : nothing]);
    },
  };
}

/** Joins encoded names; the page that is the last completes the list. */
function joiningRenderer(
  contentType: string,
  [begin, separator, end]: readonly [string, string, string],
  encode: (name: string) => string,
): ListRenderer {
  let isBegun = false;
  let isEmpty = true;
  return {
    contentType,
    page: (names, isLast) => {
      const lead = isBegun ? "" : begin;
      const gap = isEmpty || names.length === 0 ? "" : separator;
      isBegun = true;
      isEmpty &&= names.length === 0;
      return Buffer.from(`${lead}${gap}${names.map(encode).join(separator)}${isLast ? end : ""}`, "utf8");
    },
  };
}

/** Names are written unchanged: existing readers split the body of both types at CRLF and decode nothing. */
function linesRenderer(contentType: string): ListRenderer {
  return joiningRenderer(contentType, ["", "\r\n", ""], (name) => name);
}

export function createListRenderer(type: ListType): ListRenderer {
  switch (type) {
    case "application/cbor":
      return cborRenderer();
    case "application/json":
      return joiningRenderer("application/json; charset=utf-8", ["[", ",", "]"], (name) => JSON.stringify(name));
    case "application/x-www-form-urlencoded":
      return linesRenderer("application/x-www-form-urlencoded");
    case "text/plain":
      return linesRenderer("text/plain; charset=utf-8");
  }
}
