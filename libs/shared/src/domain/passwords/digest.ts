import { hash, timingSafeEqual } from "node:crypto";
import type { DigestPassword } from "../../platform/crypto/password-formats.ts";

export const rotate = (value: number, count: number): number => (value << count) | (value >>> (32 - count));

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
