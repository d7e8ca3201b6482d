import { hash, timingSafeEqual } from "node:crypto";

const rotate = (value: number, count: number): number => (value << count) | (value >>> (32 - count));

type State = readonly [number, number, number, number];

const initial: State = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];

interface Round {
  readonly mix: (x: number, y: number, z: number) => number;
  readonly constant: number;
  readonly shifts: readonly number[];
  readonly order: readonly number[];
}

/** RFC 1320 section 3.4. */
const rounds: readonly Round[] = [
  {
    mix: (x, y, z) => (x & y) | (~x & z),
    constant: 0,
    shifts: [3, 7, 11, 19],
    order: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  },
  {
    mix: (x, y, z) => (x & y) | (x & z) | (y & z),
    constant: 0x5a827999,
    shifts: [3, 5, 9, 13],
    order: [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
  },
  {
    mix: (x, y, z) => x ^ y ^ z,
    constant: 0x6ed9eba1,
    shifts: [3, 9, 11, 15],
    order: [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
  },
];

function compress([a, b, c, d]: State, block: Buffer): State {
  let [w, x, y, z] = [a, b, c, d];
  for (const { mix, constant, shifts, order } of rounds) {
    for (const [step, index] of order.entries()) {
      const sum = (w + mix(x, y, z) + block.readUInt32LE(4 * index) + constant) | 0;
      [w, x, y, z] = [z, rotate(sum, shifts[step % 4] ?? 0), x, y];
    }
  }
  return [(a + w) | 0, (b + x) | 0, (c + y) | 0, (d + z) | 0];
}

/** The message, a 1 bit, zeros, and the length in bits, in blocks of 64 bytes. */
function padded(text: Uint8Array): Buffer {
  const bytes = Buffer.alloc(Math.ceil((text.length + 9) / 64) * 64);
  bytes.set(text);
  bytes[text.length] = 0x80;
  bytes.writeBigUInt64LE(BigInt(text.length) * 8n, bytes.length - 8);
  return bytes;
}

/** MD4 (RFC 1320), which OpenSSL 3 no longer has. For stored passwords of old systems only. */
export function md4(text: Uint8Array): Buffer {
  const bytes = padded(text);
  let state = initial;
  for (let at = 0; at < bytes.length; at += 64) state = compress(state, bytes.subarray(at, at + 64));
  const digest = Buffer.alloc(16);
  for (const [index, word] of state.entries()) digest.writeInt32LE(word, 4 * index);
  return digest;
}

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
