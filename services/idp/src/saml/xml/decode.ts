import { inflateRawSync } from "node:zlib";
import { SamlRefusal } from "../protocol/refusal.ts";
import { messageLimits } from "./limits.ts";

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function bytesOf(encoded: string): Buffer {
  if (encoded.length > messageLimits.encodedLength) throw new SamlRefusal("too_large", "encoded message");
  // Some service providers post Base64 with line breaks (RFC 2045 §6.8).
  const joined = encoded.replaceAll(/[\r\n]/g, "");
  if (joined === "" || !base64.test(joined)) throw new SamlRefusal("encoding", "not Base64");
  return Buffer.from(joined, "base64");
}

function textOf(bytes: Uint8Array): string {
  if (bytes.length > messageLimits.documentBytes) throw new SamlRefusal("too_large", "document");
  try {
    return utf8.decode(bytes);
  } catch {
    throw new SamlRefusal("encoding", "not UTF-8");
  }
}

/** A message of the POST binding (saml-bindings §3.5.4). @throws SamlRefusal */
export function decodePosted(encoded: string): string {
  return textOf(bytesOf(encoded));
}

/** A message of the Redirect binding: DEFLATE, then Base64 (saml-bindings §3.4.4.1). @throws SamlRefusal */
export function decodeRedirected(encoded: string): string {
  const packed = bytesOf(encoded);
  try {
    return textOf(inflateRawSync(packed, { maxOutputLength: messageLimits.documentBytes }));
  } catch (error) {
    if (error instanceof SamlRefusal) throw error;
    throw new SamlRefusal("encoding", "not DEFLATE, or inflates beyond the limit");
  }
}
