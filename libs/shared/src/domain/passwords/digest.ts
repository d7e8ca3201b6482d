import { hash, timingSafeEqual } from "node:crypto";
import { md4 } from "./md4.ts";

/** Digest of the password and a salt in one round: `{SSHA}` of RFC 2307, its variants, and those without a salt. */
export interface DigestPassword {
  readonly scheme: "digest";
  readonly algorithm: "md4" | "md5" | "sha1" | "sha256" | "sha512";
  readonly digest: Buffer;
  /** Empty if the scheme has none. */
  readonly salt: Buffer;
}

const kind = (algorithm: DigestPassword["algorithm"], digestBytes: number, isSalted: boolean) => ({
  algorithm,
  digestBytes,
  isSalted,
});

type DigestKind = ReturnType<typeof kind>;

/** The keys are Dovecot's names of the schemes. */
export const digestKinds = {
  SSHA: kind("sha1", 20, true),
  SSHA256: kind("sha256", 32, true),
  SSHA512: kind("sha512", 64, true),
  SMD5: kind("md5", 16, true),
  SHA: kind("sha1", 20, false),
  SHA1: kind("sha1", 20, false),
  SHA256: kind("sha256", 32, false),
  SHA512: kind("sha512", 64, false),
  "LDAP-MD5": kind("md5", 16, false),
  "PLAIN-MD5": kind("md5", 16, false),
  "PLAIN-MD4": kind("md4", 16, false),
} as const;

const base64Text = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;
const hexText = /^(?:[0-9A-Fa-f]{2})*$/;

function encodingOf(text: string, { digestBytes, isSalted }: DigestKind): "base64" | "hex" {
  return !isSalted && text.length === 2 * digestBytes && hexText.test(text) ? "hex" : "base64";
}

/**
 * `text` is what follows the `{…}` prefix: the digest, then the salt. Without a stated encoding, it is base64, or hexadecimal if a digest
 * without a salt has that length.
 */
export function parseDigest(
  kindOf: DigestKind,
  stated: "base64" | "hex" | undefined,
  text: string,
): DigestPassword | undefined {
  const { algorithm, digestBytes, isSalted } = kindOf;
  const encoding = stated ?? encodingOf(text, kindOf);
  if (!(encoding === "hex" ? hexText : base64Text).test(text)) return undefined;
  const bytes = Buffer.from(text, encoding);
  if (isSalted ? bytes.length <= digestBytes : bytes.length !== digestBytes) return undefined;
  return { scheme: "digest", algorithm, digest: bytes.subarray(0, digestBytes), salt: bytes.subarray(digestBytes) };
}

/** Buffer in which password and salt are joined. */
const room = Buffer.allocUnsafeSlow(8192);

/** One digest of a short text takes some microseconds, so no thread is needed. */
export function verifyDigest({ algorithm, digest, salt }: DigestPassword, password: string): boolean {
  const bytes = Buffer.byteLength(password) + salt.length;
  const text = bytes <= room.length ? room.subarray(0, bytes) : Buffer.alloc(bytes);
  salt.copy(text, text.write(password));
  const found = algorithm === "md4" ? md4(text) : hash(algorithm, text, "buffer");
  text.fill(0);
  return timingSafeEqual(found, digest);
}
