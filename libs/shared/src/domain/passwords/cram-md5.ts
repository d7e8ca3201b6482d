import { hash, timingSafeEqual } from "node:crypto";
import { rotate } from "./digest.ts";

export type CramMd5Password = NonNullable<ReturnType<typeof parseCramMd5>>;

const stored = /^[0-9a-fA-F]{64}$/;

/**
 * `{CRAM-MD5}`, also called `{HMAC-MD5}`: the states of MD5 after the first block of HMAC's inner and outer digest (RFC 2195), from which a
 * server answers challenges without the password.
 * `states`: the outer, then the inner one, 32 bytes.
 */
export function parseCramMd5(text: string) {
  return stored.test(text) ? { scheme: "cram-md5" as const, states: Buffer.from(text, "hex") } : undefined;
}

const blockBytes = 64;
const shifts = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
];

type Word = number;
const sine = (step: number): Word => Math.floor(Math.abs(Math.sin(step + 1)) * 2 ** 32) | 0;

/** RFC 1321 section 3.4: the function and the word of the block for a step. */
function stepOf(step: number, x: Word, y: Word, z: Word): readonly [mixed: Word, word: number] {
  if (step < 16) return [(x & y) | (~x & z), step];
  if (step < 32) return [(x & z) | (y & ~z), (5 * step + 1) % 16];
  if (step < 48) return [x ^ y ^ z, (3 * step + 5) % 16];
  return [y ^ (x | ~z), (7 * step) % 16];
}

/** The state of MD5 after one block, which OpenSSL does not reveal. */
function stateAfter(block: Buffer): Buffer {
  const [a, b, c, d] = [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476];
  let [w, x, y, z] = [a, b, c, d];
  for (let step = 0; step < 64; step += 1) {
    const [mixed, word] = stepOf(step, x, y, z);
    const sum = (w + mixed + block.readUInt32LE(4 * word) + sine(step)) | 0;
    const shift = shifts[Math.floor(step / 16)]?.[step % 4] ?? 0;
    [w, x, y, z] = [z, (x + rotate(sum, shift)) | 0, x, y];
  }
  const state = Buffer.alloc(16);
  for (const [index, value] of [a + w, b + x, c + y, d + z].entries()) state.writeInt32LE(value | 0, 4 * index);
  return state;
}

export function verifyCramMd5({ states }: CramMd5Password, password: string): boolean {
  const text = Buffer.from(password);
  const key = Buffer.alloc(blockBytes);
  key.set(text.length > blockBytes ? hash("md5", text, "buffer") : text);
  const xored = (mask: number): Buffer => Buffer.from(key.map((byte) => byte ^ mask));
  return timingSafeEqual(Buffer.concat([stateAfter(xored(0x5c)), stateAfter(xored(0x36))]), states);
}
