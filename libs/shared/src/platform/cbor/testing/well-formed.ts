import * as fc from "fast-check";
import type { CborValue } from "../value.ts";

/** A value and an encoding of it, with heads of any width. */
export interface WellFormed {
  readonly value: CborValue;
  readonly bytes: Buffer;
}

const widths = fc.constantFrom(0, 1, 2, 4, 8);

/** A head of the requested width, or of the smallest that can hold the argument. */
function head(kind: number, argument: number, width: number): Buffer {
  const initial = kind << 5;
  const bytes = Buffer.alloc(9);
  const minimum = argument < 24 ? 0 : argument < 2 ** 8 ? 1 : argument < 2 ** 16 ? 2 : argument < 2 ** 32 ? 4 : 8;
  const size = Math.max(minimum, width);
  if (size === 0) return Buffer.of(initial | argument);
  bytes.writeUInt8(initial | (24 + Math.log2(size)), 0);
  bytes.writeBigUInt64BE(BigInt(argument), 1);
  return Buffer.concat([bytes.subarray(0, 1), bytes.subarray(9 - size)]);
}

const integers = fc
  .tuple(fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -300, max: 300 })), widths)
  .map(([value, width]) => ({
    value,
    bytes: value < 0 ? head(1, -1 - value, width) : head(0, value, width),
  }));

const floats = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => {
  const bytes = Buffer.alloc(9, 0xfb);
  bytes.writeDoubleBE(value, 1);
  return { value, bytes };
});

const constants = fc.constantFrom<WellFormed>(
  { value: false, bytes: Buffer.of(0xf4) },
  { value: true, bytes: Buffer.of(0xf5) },
  { value: null, bytes: Buffer.of(0xf6) },
);

function textItem(text: string, width: number): Buffer {
  const utf8 = Buffer.from(text);
  return Buffer.concat([head(3, utf8.length, width), utf8]);
}

/** Text from all planes, except the byte order mark, which the oracle strips from the start of a text. */
export const cborText = fc.string({ unit: "grapheme", maxLength: 300 }).map((text) => text.replaceAll("\ufeff", ""));

const texts = fc.tuple(cborText, widths).map(([value, width]) => ({ value, bytes: textItem(value, width) }));

const byteStrings = fc.tuple(fc.uint8Array({ maxLength: 40 }), widths).map(([value, width]) => ({
  value,
  bytes: Buffer.concat([head(2, value.length, width), value]),
}));

const { item } = fc.letrec<{ item: WellFormed; array: WellFormed; map: WellFormed }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    texts,
    integers,
    floats,
    constants,
    byteStrings,
    tie("array"),
    tie("map"),
  ),
  array: fc.tuple(fc.array(tie("item"), { maxLength: 6 }), widths).map(([items, width]) => ({
    value: items.map(({ value }) => value),
    bytes: Buffer.concat([head(4, items.length, width), ...items.map(({ bytes }) => bytes)]),
  })),
  map: fc
    .tuple(fc.uniqueArray(fc.tuple(cborText, widths, tie("item")), { maxLength: 6, selector: ([key]) => key }), widths)
    .map(([pairs, width]) => ({
      value: new Map(pairs.map(([key, , { value }]) => [key, value])),
      bytes: Buffer.concat([
        head(5, pairs.length, width),
        ...pairs.flatMap(([key, keyWidth, { bytes }]) => [textItem(key, keyWidth), bytes]),
      ]),
    })),
}));

/** CBOR that `decodeCbor` accepts: all kinds, nested, with heads of any width. */
export const wellFormedCbor: fc.Arbitrary<WellFormed> = item;
