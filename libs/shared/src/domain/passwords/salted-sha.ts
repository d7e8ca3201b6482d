import { hash, timingSafeEqual } from "node:crypto";

/** Digest of password and salt in one round (RFC 2307's `{SSHA}` and its SHA-2 variants). */
export interface SaltedShaPassword {
  readonly scheme: "salted-sha";
  readonly algorithm: "sha1" | "sha256" | "sha512";
  readonly digest: Buffer;
  readonly salt: Buffer;
}

const kinds = {
  SSHA: { algorithm: "sha1", digestBytes: 20 },
  SSHA256: { algorithm: "sha256", digestBytes: 32 },
  SSHA512: { algorithm: "sha512", digestBytes: 64 },
} as const;

const base64Text = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;
const hexText = /^(?:[0-9A-Fa-f]{2})*$/;

/** `text` is what follows the `{…}` prefix: the digest, then the salt. */
export function parseSaltedSha(
  name: keyof typeof kinds,
  encoding: "base64" | "hex",
  text: string,
): SaltedShaPassword | undefined {
  if (!(encoding === "hex" ? hexText : base64Text).test(text)) return undefined;
  const { algorithm, digestBytes } = kinds[name];
  const bytes = Buffer.from(text, encoding);
  if (bytes.length <= digestBytes) return undefined;
  return { scheme: "salted-sha", algorithm, digest: bytes.subarray(0, digestBytes), salt: bytes.subarray(digestBytes) };
}

/** Buffer in which password and salt are joined. */
const room = Buffer.allocUnsafeSlow(8192);

/** One digest of a short text takes some microseconds, so no thread is needed. */
export function verifySaltedSha({ algorithm, digest, salt }: SaltedShaPassword, password: string): boolean {
  const bytes = Buffer.byteLength(password) + salt.length;
  const text = bytes <= room.length ? room.subarray(0, bytes) : Buffer.alloc(bytes);
  salt.copy(text, text.write(password));
  const found = hash(algorithm, text, "buffer");
  text.fill(0);
  return timingSafeEqual(found, digest);
}
