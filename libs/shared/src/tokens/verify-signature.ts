import type { KeyObject } from "node:crypto";
import { errors, type JWTPayload, jwtVerify } from "jose";
import { type InvalidReason } from "./verdict.ts";

export interface SignatureRules {
  readonly key: KeyObject;
  readonly algorithms: readonly string[];
  readonly issuer: string;
  readonly nowMs: number;
  readonly skewSeconds: number;
}

export type SignatureResult = { readonly payload: JWTPayload } | { readonly reason: InvalidReason };

function reasonOf(error: errors.JOSEError): InvalidReason {
  if (error instanceof errors.JWTExpired) return "expired";
  if (error instanceof errors.JWSSignatureVerificationFailed) return "signature";
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported) return "algorithm";
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === "iss") return "issuer";
    return error.claim === "nbf" || error.claim === "iat" ? "not_yet_valid" : "claims";
  }
  return "malformed";
}

/** Signature, issuer and time of a compact JWS. */
export async function verifySignature(token: string, rules: SignatureRules): Promise<SignatureResult> {
  const { key, algorithms, issuer, nowMs, skewSeconds } = rules;
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [...algorithms],
      issuer,
      clockTolerance: skewSeconds,
      currentDate: new Date(nowMs),
      requiredClaims: ["exp"],
    });
    return { payload };
  } catch (error) {
    if (error instanceof errors.JOSEError) return { reason: reasonOf(error) };
    throw error;
  }
}
