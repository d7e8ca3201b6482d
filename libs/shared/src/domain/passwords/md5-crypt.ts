import { hash, timingSafeEqual } from "node:crypto";
import type { Md5CryptPassword } from "../../platform/crypto/password-formats.ts";
import { encodeGroup } from "./sha-crypt.ts";

const rounds = 1000;
/** A round's cost grows with the password's length: beyond this, the 1000 rounds would block the event loop. */
const maxPasswordBytes = 256;
/** Indices of the digest bytes in each group of characters. */
const groups = [
  [0, 6, 12],
  [1, 7, 13],
  [2, 8, 14],
  [3, 9, 15],
  [4, 10, 5],
] as const;

const md5 = (...parts: readonly Uint8Array[]): Buffer => hash("md5", Buffer.concat(parts), "buffer");

function firstDigest(password: Buffer, salt: Buffer, magic: string): Buffer {
  const alternate = md5(password, salt, password);
  const parts: Uint8Array[] = [password, Buffer.from(magic), salt];
  for (let left = password.length; left > 0; left -= 16) parts.push(alternate.subarray(0, Math.min(16, left)));
  for (let bits = password.length; bits > 0; bits >>>= 1)
    parts.push((bits & 1) === 1 ? Buffer.of(0) : password.subarray(0, 1));
  return md5(...parts);
}

function encode(digest: Buffer): string {
  const text = groups.map(([a, b, c]) => encodeGroup([digest[a], digest[b], digest[c]], 4));
  return text.join("") + encodeGroup([0, 0, digest[11]], 2);
}

function md5CryptDigest(text: string, { salt, magic }: Pick<Md5CryptPassword, "salt" | "magic">): string {
  const password = Buffer.from(text);
  const saltBytes = Buffer.from(salt);
  let digest = firstDigest(password, saltBytes, magic);
  for (let round = 0; round < rounds; round += 1) {
    const isOdd = round % 2 === 1;
    const parts: Uint8Array[] = [isOdd ? password : digest];
    if (round % 3 !== 0) parts.push(saltBytes);
    if (round % 7 !== 0) parts.push(password);
    parts.push(isOdd ? digest : password);
    digest = md5(...parts);
  }
  return encode(digest);
}

/** A thousand short digests take a millisecond, so no thread is needed. crypt(3) ends a password at NUL. */
export function verifyMd5Crypt(stored: Md5CryptPassword, password: string): boolean {
  if (password.includes("\0") || Buffer.byteLength(password) > maxPasswordBytes) return false;
  return timingSafeEqual(Buffer.from(md5CryptDigest(password, stored)), Buffer.from(stored.digest));
}
