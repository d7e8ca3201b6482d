import { isUtf8 } from "node:buffer";

/** Up to here a loop over the bytes is cheaper than a call into native code. */
const shortBytes = 64;

function isAscii(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    if ((bytes[at] ?? 0) > 0x7f) return false;
  }
  return true;
}

/** The UTF-8 text of `bytes` from `start` to before `end`, or undefined when it is none (RFC 3629: no surrogates). */
export function readText(bytes: Buffer, start: number, end: number): string | undefined {
  if (end - start <= shortBytes && isAscii(bytes, start, end)) return bytes.toString("latin1", start, end);
  return isUtf8(bytes.subarray(start, end)) ? bytes.toString("utf8", start, end) : undefined;
}
