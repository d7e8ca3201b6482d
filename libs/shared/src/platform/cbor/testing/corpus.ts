import { readFileSync } from "node:fs";

/** One line of a file of `test/corpora/cbor/`. */
export interface CorpusItem {
  readonly hex: string;
  readonly bytes: Buffer;
  readonly what: string;
  /** Absent if the item is rejected or has no JSON equivalent. */
  readonly value: unknown;
  readonly refused: string | undefined;
  /** Set if the item is this byte string. */
  readonly byteString: Buffer | undefined;
  readonly negativeZero: boolean;
}

const folder = new URL("../../../../../../test/corpora/cbor/", import.meta.url);

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Reads a file of the corpus; `test/corpora/cbor/README.md` describes the format. */
export function readCborCorpus(name: string): readonly CorpusItem[] {
  const items: unknown = JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8"));
  if (!Array.isArray(items)) throw new Error(`${name}: no list`);
  return items.filter(isRecord).map((item) => {
    const hex = text(item["hex"]) ?? "";
    const byteString = text(item["bytes"]);
    return {
      hex,
      bytes: Buffer.from(hex, "hex"),
      what: text(item["what"]) ?? hex,
      value: item["value"],
      refused: text(item["refused"]),
      byteString: byteString === undefined ? undefined : Buffer.from(byteString, "hex"),
      negativeZero: item["negativeZero"] === true,
    };
  });
}
