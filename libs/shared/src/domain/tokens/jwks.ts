import { createPublicKey, type KeyObject } from "node:crypto";
import { AppError } from "../../platform/errors/app-error.ts";

/** Signature algorithms of access tokens: asymmetric ones only. */
export const accessTokenAlgorithms = ["RS256", "PS256", "ES256", "EdDSA"] as const;
type AccessTokenAlgorithm = (typeof accessTokenAlgorithms)[number];

/** A public key and what it may verify: the key determines the algorithm, never the token. */
export interface VerificationKey {
  readonly key: KeyObject;
  readonly algorithms: readonly AccessTokenAlgorithm[];
}

export type KeySet = ReadonlyMap<string, VerificationKey>;

const maxKeys = 64;
const minRsaBits = 2048;

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function publicPart(jwk: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const names = ["kty", "crv", "n", "e", "x", "y"];
  return Object.fromEntries(names.flatMap((name) => (typeof jwk[name] === "string" ? [[name, jwk[name]]] : [])));
}

function algorithmsOf({ asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject): readonly AccessTokenAlgorithm[] {
  const { modulusLength = 0, namedCurve } = asymmetricKeyDetails ?? {};
  if (type === "rsa" && modulusLength >= minRsaBits) return ["RS256", "PS256"];
  if (type === "ec" && namedCurve === "prime256v1") return ["ES256"];
  return type === "ed25519" ? ["EdDSA"] : [];
}

function verificationKey(jwk: Readonly<Record<string, unknown>>): VerificationKey | undefined {
  try {
    const key = createPublicKey({ format: "jwk", key: publicPart(jwk) });
    const declaredAlgorithm = text(jwk["alg"]);
    const algorithms = algorithmsOf(key).filter(
      (algorithm) => declaredAlgorithm === undefined || declaredAlgorithm === algorithm,
    );
    return algorithms.length === 0 ? undefined : { key, algorithms };
  } catch {
    return undefined;
  }
}

/**
 * Parses a JWK set (RFC 7517). Keys that cannot be used here (other uses or types, weak or damaged ones, without `kid`) are ignored, as RFC
 * 7517 §5 recommends.
 *
 * @throws AppError UPSTREAM_UNAVAILABLE if it is not a key set, or none of its keys is usable
 */
export function parseKeySet(value: unknown): KeySet {
  const listed = isRecord(value) ? value["keys"] : undefined;
  if (!Array.isArray(listed) || listed.length > maxKeys) {
    throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "not a JWK set" });
  }
  const found = new Map<string, VerificationKey>();
  for (const jwk of listed) {
    if (!isRecord(jwk) || (jwk["use"] ?? "sig") !== "sig") continue;
    const kid = text(jwk["kid"]);
    const key = kid === undefined ? undefined : verificationKey(jwk);
    if (kid !== undefined && key !== undefined) found.set(kid, key);
  }
  if (found.size === 0) throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "the JWK set contains no usable key" });
  return found;
}
