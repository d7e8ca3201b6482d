import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes, timingSafeEqual } from "node:crypto";
import type { Secret } from "@postern/shared/crypto";

/** The key of the digests: the same in all engines that have one `nonce`, of this process alone without. */
export function passwordDigestKey(nonce: Secret | undefined): KeyObject {
  const material = nonce === undefined ? randomBytes(32) : nonce.reveal();
  return createSecretKey(Buffer.from(hkdfSync("sha256", material, "postern", "cached password digest", 32)));
}

/** HMAC-SHA-256 over the context, whose end is told by its own lengths, and the password. */
export function passwordDigest(key: KeyObject, context: string, password: Secret): Buffer {
  return createHmac("sha256", key).update(context).update("\n").update(password.reveal()).digest();
}

export function sameDigest(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
