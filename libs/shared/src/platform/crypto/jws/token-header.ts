/** The parts of a JWS header that select the key, before anything is verified. */
export interface TokenHeader {
  readonly alg: string;
  readonly kid: string | undefined;
  /** In lower case, without a leading `application/` (RFC 8725 §3.11, RFC 7515 §4.1.9). */
  readonly typ: string;
}

const compactJws = /^[A-Za-z0-9_-]{1,1024}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

function parsed(encoded: string): TokenHeader | undefined {
  try {
    const header: unknown = JSON.parse(Buffer.from(encoded, "base64url").toString("utf8"));
    if (typeof header !== "object" || header === null || "crit" in header || "b64" in header) return undefined;
    const { alg, kid, typ }: Readonly<Record<string, unknown>> = { ...header };
    if (typeof alg !== "string") return undefined;
    const type = typeof typ === "string" ? typ.toLowerCase().replace(/^application\//, "") : "";
    return { alg, kid: typeof kid === "string" ? kid : undefined, typ: type };
  } catch {
    return undefined;
  }
}

/**
 * Reads the header of a compact JWS. Undefined for anything else, and for critical extensions, because none is supported.
 */
export function readTokenHeader(token: string): TokenHeader | undefined {
  return compactJws.test(token) ? parsed(token.slice(0, token.indexOf("."))) : undefined;
}

/** Remembers the last header, because all tokens signed with one key have the same header. */
export function createHeaderReader(): typeof readTokenHeader {
  let last: { readonly encoded: string; readonly header: TokenHeader | undefined } = { encoded: "", header: undefined };
  return (token) => {
    // The characters of the whole token are checked every time: what is signed and what is decoded must be identical.
    if (!compactJws.test(token)) return undefined;
    const encoded = token.slice(0, token.indexOf("."));
    if (encoded !== last.encoded) last = { encoded, header: parsed(encoded) };
    return last.header;
  };
}
