/** The parts of a JWS header that pick the key, before anything is verified. */
export interface TokenHeader {
  readonly alg: string;
  readonly kid: string | undefined;
  /** In lower case, without a leading `application/` (RFC 8725 §3.11, RFC 7515 §4.1.9). */
  readonly typ: string;
}

const compactJws = /^[A-Za-z0-9_-]{1,1024}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Reads the header of a compact JWS; undefined for anything else, and for critical extensions: we know none. */
export function readTokenHeader(token: string): TokenHeader | undefined {
  if (!compactJws.test(token)) return undefined;
  try {
    const header: unknown = JSON.parse(Buffer.from(token.slice(0, token.indexOf(".")), "base64url").toString("utf8"));
    if (typeof header !== "object" || header === null || "crit" in header || "b64" in header) return undefined;
    const fields: Readonly<Record<string, unknown>> = { ...header };
    const alg = text(fields["alg"]);
    if (alg === undefined) return undefined;
    const typ = (text(fields["typ"]) ?? "").toLowerCase().replace(/^application\//, "");
    return { alg, kid: text(fields["kid"]), typ };
  } catch {
    return undefined;
  }
}
