import { hash, timingSafeEqual } from "node:crypto";

/** SHA-256 of a text. Secrets that are compared often are stored in this form from the start. */
export function digestOf(text: string): Buffer {
  return hash("sha256", text, "buffer");
}

/**
 * Compares the text's digest in constant time, so that the duration reveals nothing about either text, including their lengths.
 */
export function matchesDigest(text: string, digest: Buffer): boolean {
  return timingSafeEqual(digestOf(text), digest);
}
