import { isUtf8 } from "node:buffer";

// oxlint-disable-next-line no-control-regex -- every ASCII character but the percent sign
const nothingToDecode = /^[\u0000-\u0024\u0026-\u007f]*$/;

/**
 * Decodes byte text (one character per byte, as Node reads header values) with escapes, as nginx's mail proxy writes user names and
 * passwords. Each valid `%HH` is a byte; everything else is literal, including `+`. Undefined if the bytes are not UTF-8.
 */
export function decodePercents(byteText: string): string | undefined {
  if (nothingToDecode.test(byteText)) return byteText;
  return decodeUtf8(bytesOf(byteText));
}

function bytesOf(byteText: string): string {
  return byteText.replaceAll(/%([0-9A-Fa-f]{2})/g, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Decodes escapes to Latin-1: each byte is a character, and unprintable ones become U+FFFD. */
export function decodeLatin1(byteText: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is replaced
  return bytesOf(byteText).replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, "\ufffd");
}

/** Decodes byte text as UTF-8; undefined if it is invalid. */
export function decodeUtf8(byteText: string): string | undefined {
  const bytes = Buffer.from(byteText, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}
