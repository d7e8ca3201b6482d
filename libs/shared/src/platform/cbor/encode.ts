import type { CborEncodable } from "./value.ts";

interface Output {
  bytes: Buffer;
  length: number;
}

const major = { unsigned: 0x00, negative: 0x20, text: 0x60, array: 0x80, map: 0xa0 } as const;
const simple = { false: 0xf4, true: 0xf5, null: 0xf6 } as const;
const startBytes = 512;

/** Up to this length a loop over the characters is cheaper than calls into native code. */
const shortText = 64;

/** Reserves `size` bytes and returns their offset. */
function reserve(output: Output, size: number): number {
  const start = output.length;
  const needed = start + size;
  if (needed > output.bytes.length) {
    const grown = Buffer.allocUnsafe(Math.max(needed, 2 * output.bytes.length));
    output.bytes.copy(grown, 0, 0, start);
    output.bytes = grown;
  }
  output.length = needed;
  return start;
}

function writeByte(output: Output, byte: number): void {
  const start = reserve(output, 1);
  output.bytes[start] = byte;
}

/** The shortest head (RFC 8949 §4.2.1). */
function writeHead(output: Output, kind: number, argument: number): void {
  if (argument < 24) {
    writeByte(output, kind + argument);
    return;
  }
  if (argument < 0x100) {
    writeByte(output, kind + 24);
    writeByte(output, argument);
    return;
  }
  const size = argument < 0x1_0000 ? 2 : argument < 2 ** 32 ? 4 : 8;
  writeByte(output, kind + 24 + Math.log2(size));
  const start = reserve(output, size);
  if (size < 8) {
    output.bytes.writeUIntBE(argument, start, size);
  } else {
    output.bytes.writeUInt32BE(Math.floor(argument / 2 ** 32), start);
    output.bytes.writeUInt32BE(argument % 2 ** 32, start + 4);
  }
}

function writeInteger(output: Output, value: number): void {
  if (!Number.isSafeInteger(value)) throw new RangeError("only integers within ±(2^53-1) are encoded");
  if (value < 0) writeHead(output, major.negative, -1 - value);
  else writeHead(output, major.unsigned, value);
}

/**
 * Writes short ASCII text without a call into native code. If it meets another character it stops, and the caller overwrites what was
 * written.
 */
function wroteShortAscii(output: Output, text: string): boolean {
  const { length } = text;
  if (length > shortText) return false;
  const before = output.length;
  writeHead(output, major.text, length);
  const start = reserve(output, length);
  const { bytes } = output;
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) {
      output.length = before;
      return false;
    }
    bytes[start + at] = code;
  }
  return true;
}

function writeText(output: Output, text: string): void {
  if (wroteShortAscii(output, text)) return;
  const size = Buffer.byteLength(text);
  writeHead(output, major.text, size);
  const start = reserve(output, size);
  output.bytes.write(text, start, size, "utf8");
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) > 0x7f) return false;
  }
  return true;
}

/**
 * The bytewise order of encoded text keys (RFC 8949 §4.2.1): the head grows with the length in bytes, so the shorter key sorts first; keys
 * of equal length sort by their bytes.
 */
function compareKeys(left: string, right: string): number {
  if (isAscii(left) && isAscii(right)) {
    if (left.length !== right.length) return left.length - right.length;
    return left < right ? -1 : 1;
  }
  const leftSize = Buffer.byteLength(left);
  const rightSize = Buffer.byteLength(right);
  return leftSize === rightSize ? Buffer.compare(Buffer.from(left), Buffer.from(right)) : leftSize - rightSize;
}

function writeMap(output: Output, map: { readonly [key: string]: CborEncodable }): void {
  const keys = Object.keys(map).toSorted(compareKeys);
  writeHead(output, major.map, keys.length);
  for (const key of keys) {
    writeText(output, key);
    writeItem(output, map[key] ?? null);
  }
}

function isList(value: CborEncodable): value is readonly CborEncodable[] {
  return Array.isArray(value);
}

function writeList(output: Output, list: readonly CborEncodable[]): void {
  writeHead(output, major.array, list.length);
  for (const element of list) writeItem(output, element);
}

function writeItem(output: Output, value: CborEncodable): void {
  if (value === null) writeByte(output, simple.null);
  else if (typeof value === "string") writeText(output, value);
  else if (typeof value === "number") writeInteger(output, value);
  else if (typeof value === "boolean") writeByte(output, value ? simple.true : simple.false);
  else if (isList(value)) writeList(output, value);
  else writeMap(output, value);
}

/**
 * Encodes CBOR deterministically (RFC 8949 §4.2.1): shortest heads, definite lengths, map keys in the bytewise order of their encoding. An
 * unpaired surrogate becomes U+FFFD, because UTF-8 cannot represent it.
 *
 * @throws RangeError for a number that is not an integer within ±(2^53-1).
 */
export function encodeCbor(value: CborEncodable): Buffer {
  const output: Output = { bytes: Buffer.allocUnsafe(startBytes), length: 0 };
  writeItem(output, value);
  return output.bytes.subarray(0, output.length);
}
