import { isUtf8 } from "node:buffer";
import { CborError, type CborRefusal } from "./cbor-error.ts";
import type { CborValue } from "./value.ts";

/** Up to this length a loop over the bytes is cheaper than a call into native code. */
const shortText = 64;

/** A body up to this size is converted to one string, which the texts taken from it may keep alive. */
const shortBody = 4096;

interface TextSource {
  readonly bytes: Buffer;
  /** A small body as one string with one character per byte, so that its texts need no calls into native code. */
  readonly latin1: string | undefined;
}

function textSource(bytes: Buffer): TextSource {
  return { bytes, latin1: bytes.length <= shortBody ? bytes.toString("latin1") : undefined };
}

function isAscii(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    if ((bytes[at] ?? 0) > 0x7f) return false;
  }
  return true;
}

/**
 * The UTF-8 text from `start` up to `end` (exclusive); undefined if the bytes are not valid UTF-8 (RFC 3629: no surrogates).
 */
function readText({ bytes, latin1 }: TextSource, start: number, end: number): string | undefined {
  if (end - start <= shortText && isAscii(bytes, start, end)) {
    return latin1 === undefined ? bytes.toString("latin1", start, end) : latin1.slice(start, end);
  }
  return isUtf8(bytes.subarray(start, end)) ? bytes.toString("utf8", start, end) : undefined;
}

/** Limits for CBOR request bodies; part of the HTTP interface. */
export const cborLimits = Object.freeze({
  /** 1 MiB. */
  maxBytes: 1_048_576,
  /** Nesting depth of arrays and maps; a single array has depth 1. */
  maxDepth: 32,
  /** Total number of array elements in one body. */
  maxArrayElements: 4096,
  /** Total number of map pairs in one body. */
  maxMapPairs: 4096,
});

/** Half precision (RFC 8949, Appendix D). */
function fromHalf(half: number): number {
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  const sign = half & 0x8000 ? -1 : 1;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (fraction + 0x400) * 2 ** (exponent - 25);
}

/** A big-endian IEEE 754 number of 2, 4 or 8 bytes. */
function readFloat(bytes: Buffer, offset: number, size: number): number {
  switch (size) {
    case 2:
      return fromHalf(bytes.readUInt16BE(offset));
    case 4:
      return bytes.readFloatBE(offset);
    default:
      return bytes.readDoubleBE(offset);
  }
}

/** Position in the body, and how much of the limits is used. */
interface Cursor {
  readonly bytes: Buffer;
  readonly source: TextSource;
  offset: number;
  depth: number;
  elements: number;
  pairs: number;
}

const major = { unsigned: 0, negative: 1, bytes: 2, text: 3, array: 4, map: 5, tag: 6, other: 7 } as const;
const indefinite = 31;

function refuse(reason: CborRefusal, offset: number): never {
  throw new CborError(reason, offset);
}

/** Advances by `length` bytes, which must exist; returns their start. */
function take(cursor: Cursor, length: number): number {
  const { offset, bytes } = cursor;
  if (length > bytes.length - offset) refuse("truncated", offset);
  cursor.offset = offset + length;
  return offset;
}

function takeByte(cursor: Cursor): number {
  const { offset } = cursor;
  const byte = cursor.bytes[offset];
  if (byte === undefined) return refuse("truncated", offset);
  cursor.offset = offset + 1;
  return byte;
}

/** The argument of an item's head (RFC 8949 §3). Above 2^53 it is inexact but remains above 2^53. */
function readArgument(cursor: Cursor, info: number, start: number): number {
  if (info < 24) return info;
  const { bytes } = cursor;
  switch (info) {
    case 24:
      return takeByte(cursor);
    case 25:
      return bytes.readUInt16BE(take(cursor, 2));
    case 26:
      return bytes.readUInt32BE(take(cursor, 4));
    case 27: {
      const offset = take(cursor, 8);
      return bytes.readUInt32BE(offset) * 2 ** 32 + bytes.readUInt32BE(offset + 4);
    }
    default:
      return refuse("reserved-encoding", start);
  }
}

/** Like `readArgument`, for an argument that is a length. */
function readLength(cursor: Cursor, info: number, start: number): number {
  if (info === indefinite) refuse("indefinite-length", start);
  return readArgument(cursor, info, start);
}

function checkedInteger(value: number, start: number): number {
  return Number.isSafeInteger(value) ? value : refuse("integer-range", start);
}

function readSimpleOrFloat(cursor: Cursor, info: number, start: number): CborValue {
  switch (info) {
    case 20:
      return false;
    case 21:
      return true;
    case 22:
      return null;
    case 25:
    case 26:
    case 27: {
      const size = 2 ** (info - 24);
      const value = readFloat(cursor.bytes, take(cursor, size), size);
      return Number.isFinite(value) ? value : refuse("not-finite", start);
    }
    case 28:
    case 29:
    case 30:
      return refuse("reserved-encoding", start);
    case indefinite:
      return refuse("break", start);
    default:
      return refuse("simple-value", start);
  }
}

function readString(cursor: Cursor, length: number): string {
  const start = take(cursor, length);
  return readText(cursor.source, start, cursor.offset) ?? refuse("not-utf8", start);
}

/**
 * Enters an array or map that needs at least `minBytes` more bytes, so that a declared length alone allocates nothing.
 */
function enter(cursor: Cursor, start: number, minBytes: number): void {
  if (cursor.depth >= cborLimits.maxDepth) refuse("too-deep", start);
  if (minBytes > cursor.bytes.length - cursor.offset) refuse("truncated", start);
  cursor.depth += 1;
}

function readArray(cursor: Cursor, length: number, start: number): CborValue {
  cursor.elements += length;
  if (cursor.elements > cborLimits.maxArrayElements) refuse("too-many-elements", start);
  enter(cursor, start, length);
  const elements: CborValue[] = [];
  for (let left = length; left > 0; left -= 1) elements.push(readItem(cursor));
  cursor.depth -= 1;
  return elements;
}

function readKey(cursor: Cursor): string {
  const start = cursor.offset;
  const initial = takeByte(cursor);
  if (initial >> 5 !== major.text) refuse("key-not-text", start);
  return readString(cursor, readLength(cursor, initial & 0x1f, start));
}

/** Keys are compared as text, so that two encodings of the same key are duplicates. */
function readMap(cursor: Cursor, length: number, start: number): CborValue {
  cursor.pairs += length;
  if (cursor.pairs > cborLimits.maxMapPairs) refuse("too-many-pairs", start);
  enter(cursor, start, 2 * length);
  const pairs = new Map<string, CborValue>();
  for (let left = length; left > 0; left -= 1) {
    const keyStart = cursor.offset;
    const key = readKey(cursor);
    if (pairs.has(key)) refuse("duplicate-key", keyStart);
    pairs.set(key, readItem(cursor));
  }
  cursor.depth -= 1;
  return pairs;
}

function readBytes(cursor: Cursor, length: number): Uint8Array {
  const start = take(cursor, length);
  return cursor.bytes.subarray(start, cursor.offset);
}

function readItem(cursor: Cursor): CborValue {
  const start = cursor.offset;
  const initial = takeByte(cursor);
  const info = initial & 0x1f;
  switch (initial >> 5) {
    case major.unsigned:
      return checkedInteger(readArgument(cursor, info, start), start);
    case major.negative:
      return checkedInteger(-1 - readArgument(cursor, info, start), start);
    case major.bytes:
      return readBytes(cursor, readLength(cursor, info, start));
    case major.text:
      return readString(cursor, readLength(cursor, info, start));
    case major.array:
      return readArray(cursor, readLength(cursor, info, start), start);
    case major.map:
      return readMap(cursor, readLength(cursor, info, start), start);
    case major.tag:
      return refuse("tag", start);
    default:
      return readSimpleOrFloat(cursor, info, start);
  }
}

/**
 * Decodes one CBOR item (RFC 8949) that fills `bytes`. Rejects indefinite lengths, tags and duplicate keys, and anything beyond the limits
 * of `limits.ts` (ADR 0007). Also rejects what JSON cannot express: keys that are not text, `undefined` and other simple values, non-finite
 * numbers, integers beyond ±(2^53-1). Accepts lengths and integers of any width, floating-point numbers of all three sizes, and byte
 * strings (as views).
 *
 * Reads each byte once, and checks a length before allocating for it.
 *
 * @throws CborError and nothing else.
 */
export function decodeCbor(bytes: Buffer): CborValue {
  if (bytes.length > cborLimits.maxBytes) refuse("too-large", cborLimits.maxBytes);
  const cursor: Cursor = { bytes, source: textSource(bytes), offset: 0, depth: 0, elements: 0, pairs: 0 };
  const value = readItem(cursor);
  if (cursor.offset !== bytes.length) refuse("trailing-bytes", cursor.offset);
  return value;
}
