import type { JWTPayload } from "jose";
import type { ClientKeySets, WantedKey } from "./client-key-sets.ts";
import { type ClientKey, fittingKeys } from "./client-keys.ts";
import type { ClientPolicy } from "./clients.ts";

/** Tries keys in turn. @returns the claims; undefined if no key verifies the JWT or a claim is wrong */
export type VerifyWithKeys = (keys: readonly ClientKey[]) => Promise<JWTPayload | undefined>;

export type ClientJwtVerification = JWTPayload | "no_key" | "wrong_signature_or_claims";

/**
 * Verifies a JWT of a client with its configured keys, then its published ones. If none has a matching `kid`, it fetches
 * the published keys again.
 *
 * @throws AppError UPSTREAM_UNAVAILABLE when the published keys are needed and cannot be read
 */
export async function verifyClientJwt(
  verify: VerifyWithKeys,
  wanted: WantedKey,
  { keys, config }: Pick<ClientPolicy, "keys" | "config">,
  keySets: ClientKeySets,
): Promise<ClientJwtVerification> {
  const own = fittingKeys(keys, wanted);
  const byOwn = await verify(own);
  const { jwks_uri: uri } = config;
  if (byOwn !== undefined || uri === "") return byOwn ?? (own.length === 0 ? "no_key" : "wrong_signature_or_claims");
  const published = await keySets.find(uri, wanted);
  const known = await verify(published);
  if (known !== undefined) return known;
  if (published.length === 0) return "no_key";
  if (published.some(({ kid }) => kid !== undefined && kid === wanted.kid)) return "wrong_signature_or_claims";
  const newer = (await keySets.findAnew(uri, wanted)).filter((key) => !published.includes(key));
  return (await verify(newer)) ?? "wrong_signature_or_claims";
}
