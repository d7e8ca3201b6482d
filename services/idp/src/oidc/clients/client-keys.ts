import { createPublicKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import type { OidcClientConfig } from "@postern/shared/platform/config";
import type { OidcSignature } from "../settings/client-profile.ts";
import { isRecord, textOf } from "../storage/models.ts";

/** The key that a JWT names. */
export interface WantedKey {
  readonly alg: string;
  readonly kid: string | undefined;
}

/** A public key of a client and what it may verify: the key determines the algorithm, never the assertion. */
export interface ClientKey {
  readonly kid: string | undefined;
  readonly key: KeyObject;
  readonly algorithms: readonly OidcSignature[];
}

const maxKeys = 32;
const minRsaBits = 2048;

/** The algorithms that a key may verify; none for a key that is too weak or of another kind. */
export function algorithmsOf({ asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject): readonly OidcSignature[] {
  const { modulusLength = 0, namedCurve } = asymmetricKeyDetails ?? {};
  if (type === "rsa" && modulusLength >= minRsaBits) return ["RS256", "PS256"];
  if (type === "ec" && namedCurve === "prime256v1") return ["ES256"];
  return type === "ed25519" ? ["EdDSA"] : [];
}

const publicMembers = ["kty", "crv", "n", "e", "x", "y"];

function keyOf(jwk: unknown): readonly ClientKey[] {
  if (!isRecord(jwk) || (jwk["use"] ?? "sig") !== "sig") return [];
  const { key_ops: uses } = jwk;
  if (Array.isArray(uses) && !uses.includes("verify")) return [];
  try {
    const members = publicMembers.flatMap((name) => (typeof jwk[name] === "string" ? [[name, jwk[name]]] : []));
    const key = createPublicKey({ format: "jwk", key: Object.fromEntries(members) });
    const declaredAlgorithm = textOf(jwk["alg"]);
    const algorithms = algorithmsOf(key).filter(
      (name) => declaredAlgorithm === undefined || declaredAlgorithm === name,
    );
    return algorithms.length === 0 ? [] : [{ kid: textOf(jwk["kid"]), key, algorithms }];
  } catch {
    return [];
  }
}

/**
 * The keys of a JWK set (RFC 7517) that verify assertions; others are ignored (§5).
 *
 * @throws TypeError for a value that is not a key set, and for a set without a usable key
 */
export function readClientKeys(value: unknown): readonly ClientKey[] {
  const listed = isRecord(value) ? value["keys"] : undefined;
  if (!Array.isArray(listed)) throw new TypeError("not a JWK set");
  if (listed.length > maxKeys) throw new TypeError(`a JWK set of more than ${maxKeys} keys`);
  const keys = listed.flatMap((jwk) => keyOf(jwk));
  if (keys.length === 0) throw new TypeError("a JWK set without a public key that can verify assertions");
  return keys;
}

/**
 * The keys that may verify an assertion: those with its `kid`, or if there are none, those without a `kid`. For an
 * assertion without a `kid`, all keys that fit the algorithm.
 */
export function fittingKeys(keys: readonly ClientKey[], { alg, kid }: WantedKey): readonly ClientKey[] {
  const fitting = keys.filter(({ algorithms }) => algorithms.some((name) => name === alg));
  if (kid === undefined) return fitting;
  const named = fitting.filter((key) => key.kid === kid);
  return named.length > 0 ? named : fitting.filter((key) => key.kid === undefined);
}

function textOrFile(text: string, file: string): string {
  return text === "" && file !== "" ? readFileSync(file, "utf8") : text;
}

/**
 * The keys in the configuration.
 *
 * @throws when a key cannot be read
 */
export function configuredKeys(config: OidcClientConfig): readonly ClientKey[] {
  const pem = textOrFile(config.client_public_key, config.client_public_key_file);
  const set = textOrFile(config.jwks, config.jwks_file);
  const single: readonly ClientKey[] =
    pem === "" ? [] : [{ kid: undefined, key: createPublicKey(pem), algorithms: [config.client_public_key_algorithm] }];
  return set === "" ? single : [...single, ...readClientKeys(JSON.parse(set))];
}
