import { hash, timingSafeEqual } from "node:crypto";

/** SHA-256 of a text: secrets that are compared often are kept like this from the start (design §5, rule 4). */
export function digestOf(text: string): Buffer {
  return hash("sha256", text, "buffer");
}

/** Whether the text's digest is this one, in a time that tells nothing about either, their lengths included. */
export function matchesDigest(text: string, digest: Buffer): boolean {
  return timingSafeEqual(digestOf(text), digest);
}
