import { isUtf8 } from "node:buffer";

// oxlint-disable-next-line no-control-regex -- every ASCII character but the percent sign
const nothingToDecode = /^[\u0000-\u0024\u0026-\u007f]*$/;

/**
 * Text of bytes (one character each, as Node reads header values) with escapes in it, as nginx's mail proxy writes user
 * names and passwords: each valid `%HH` is a byte, anything else stands for itself, `+` too. Undefined when the bytes
 * are not UTF-8.
 */
export function decodePercents(byteText: string): string | undefined {
  if (nothingToDecode.test(byteText)) return byteText;
  const decoded = byteText.replaceAll(/%([0-9A-Fa-f]{2})/g, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const bytes = Buffer.from(decoded, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}
