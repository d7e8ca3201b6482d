import { isUtf8 } from "node:buffer";

/** Up to this length a loop over the bytes is cheaper than a call into native code. */
const shortText = 64;

/** A body up to this size is converted to one string, which the texts taken from it may keep alive. */
const shortBody = 4096;

/** The bytes that texts are read from. */
export interface TextSource {
  readonly bytes: Buffer;
  /** A small body as one string with one character per byte, so that its texts need no calls into native code. */
  readonly latin1: string | undefined;
}

export function textSource(bytes: Buffer): TextSource {
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
export function readText({ bytes, latin1 }: TextSource, start: number, end: number): string | undefined {
  if (end - start <= shortText && isAscii(bytes, start, end)) {
    return latin1 === undefined ? bytes.toString("latin1", start, end) : latin1.slice(start, end);
  }
  return isUtf8(bytes.subarray(start, end)) ? bytes.toString("utf8", start, end) : undefined;
}
