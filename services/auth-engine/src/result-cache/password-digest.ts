import { createSecretKey, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { createKeyedDigest, type KeyedDigest, type Secret } from "@postern/shared/platform/crypto";

/** HMAC-SHA-256 over the context, which encodes its own lengths, and the password. */
export type PasswordDigest = (context: string, password: Secret) => Buffer;

/** The key is the same in all engines with the same `nonce`; without one it is random for this process. */
export function createPasswordDigest(nonce: Secret | undefined): PasswordDigest {
  const material = nonce === undefined ? randomBytes(32) : nonce.reveal();
  const key = Buffer.from(hkdfSync("sha256", material, "postern", "cached password digest", 32));
  const digest: KeyedDigest = createKeyedDigest(createSecretKey(key));
  return (context, password) => Buffer.from(digest(`${context}\n${password.reveal()}`, "binary"), "binary");
}

export function sameDigest(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
