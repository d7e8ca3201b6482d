import { isUtf8 } from "node:buffer";

const base64 = /^([A-Za-z0-9+/_-]*)(={0,2})$/;

/** Base64 of UTF-8 text (RFC 4648 §4 and §5), with or without padding; undefined for anything else. */
export function decodeBase64Text(encoded: string): string | undefined {
  const match = base64.exec(encoded);
  if (match === null) return undefined;
  const [, digits = "", padding = ""] = match;
  const rest = digits.length % 4;
  if (rest === 1 || (padding !== "" && rest + padding.length !== 4)) return undefined;
  const bytes = Buffer.from(digits, "base64");
  return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}
