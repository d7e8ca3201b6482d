import { constants, createHmac, type KeyObject, timingSafeEqual, verify } from "node:crypto";
import type { JWTPayload } from "jose";

/** Indexed by the number of characters after the last full group of four; a single one cannot encode a byte. */
const lastLetters: readonly (RegExp | undefined)[] = [/$/, undefined, /[AQgw]$/, /[AEIMQUYcgkosw048]$/];

/**
 * Whether base64url text is canonical (RFC 4648 §3.5): the unused bits of the last character must be zero. The caller has already checked
 * the alphabet.
 */
export function isCanonicalBase64url(letters: string): boolean {
  return lastLetters[letters.length % 4]?.test(letters.slice(-1)) === true;
}

/** The supported algorithms of RFC 7518 §3.1 and RFC 8037 §3.1. */
export type SignatureAlgorithm = "HS256" | "RS256" | "PS256" | "ES256" | "EdDSA";

export interface SignatureRules {
  readonly key: KeyObject;
  /** The algorithm of the key and the header; the caller has checked that they match. */
  readonly algorithm: SignatureAlgorithm;
  readonly issuer: string;
  readonly nowMs: number;
  /** The latest time that it may be, where clocks disagree; default: `nowMs`. */
  readonly latestMs?: number | undefined;
  readonly skewSeconds: number;
}

/** Why a signature is not accepted. */
export type SignatureProblem =
  | "malformed"
  | "algorithm"
  | "signature"
  | "issuer"
  | "expired"
  | "not_yet_valid"
  | "claims";

export type SignatureResult = { readonly payload: JWTPayload } | { readonly reason: SignatureProblem };

const saltBytes = 32;

function isSignedBy({ key, algorithm }: SignatureRules, signed: Buffer, signature: Buffer): boolean {
  switch (algorithm) {
    case "HS256": {
      const expected = createHmac("sha256", key).update(signed).digest();
      return expected.length === signature.length && timingSafeEqual(expected, signature);
    }
    case "RS256":
      return verify("sha256", signed, key, signature);
    case "PS256":
      return verify(
        "sha256",
        signed,
        { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: saltBytes },
        signature,
      );
    case "ES256":
      return verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, signature);
    case "EdDSA":
      return verify(null, signed, key, signature);
  }
}

function isPayload(value: unknown): value is JWTPayload {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function payloadOf(text: string): JWTPayload | undefined {
  try {
    const payload: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    return isPayload(payload) ? payload : undefined;
  } catch {
    return undefined;
  }
}

function isTime(value: unknown): value is number | undefined {
  return value === undefined || (typeof value === "number" && Number.isFinite(value));
}

/** RFC 7519 §4.1.1, §4.1.4, §4.1.5; `exp` is required. */
function refusal({ iss, exp, nbf, iat }: JWTPayload, rules: SignatureRules): SignatureProblem | undefined {
  const { issuer, skewSeconds, nowMs, latestMs = nowMs } = rules;
  const nowSeconds = Math.floor(nowMs / 1000);
  if (iss !== issuer) return "issuer";
  if (exp === undefined || !isTime(exp) || !isTime(nbf) || !isTime(iat)) return "claims";
  if (nbf !== undefined && nbf > Math.floor(latestMs / 1000) + skewSeconds) return "not_yet_valid";
  return exp <= nowSeconds - skewSeconds ? "expired" : undefined;
}

/**
 * Verifies signature, issuer and times of a compact JWS whose header `readTokenHeader` has read. Synchronous, because the round trip to a
 * WebCrypto thread costs more than the RSA operation itself (docs/contributing/performance.md).
 */
export function verifySignature(token: string, rules: SignatureRules): SignatureResult {
  const [bodyAt, tagAt] = [token.indexOf(".") + 1, token.lastIndexOf(".") + 1];
  const [body, tag] = [token.slice(bodyAt, tagAt - 1), token.slice(tagAt)];
  const signature = Buffer.from(tag, "base64url");
  if (body.includes(".") || !isCanonicalBase64url(tag)) return { reason: "malformed" };
  if (!isSignedBy(rules, Buffer.from(token.slice(0, tagAt - 1), "latin1"), signature)) return { reason: "signature" };
  const payload = payloadOf(body);
  if (payload === undefined) return { reason: "malformed" };
  const reason = refusal(payload, rules);
  return reason === undefined ? { payload } : { reason };
}
