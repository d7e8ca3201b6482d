import { createHash, hash, timingSafeEqual } from "node:crypto";
import type { ShaCryptPassword } from "../../platform/crypto/password-formats.ts";

export type ShaCryptTask = Pick<ShaCryptPassword, "algorithm" | "rounds" | "salt"> & { readonly password: string };

export const alphabet = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * Computes the digest of a `$5$` or `$6$` string, written from U. Drepper's "Unix crypt using SHA-256 and SHA-512"; the step numbers are
 * those of that document. Blocks for milliseconds, so it runs in a worker thread.
 */
export function computeShaCryptDigest({ algorithm, rounds, salt, password }: ShaCryptTask): string {
  const key = Buffer.from(password);
  const saltBytes = Buffer.from(salt);
  const start = startDigest(algorithm, key, saltBytes);
  const keySequence = repeatTo(digestOfRepeated(algorithm, key, key.length), key.length);
  const saltSequence = repeatTo(digestOfRepeated(algorithm, saltBytes, 16 + (start[0] ?? 0)), saltBytes.length);
  const digest = runRounds({ algorithm, rounds }, start, keySequence, saltSequence);
  return encode(digest);
}

/** Steps 1 to 12. */
function startDigest(algorithm: string, key: Buffer, salt: Buffer): Buffer {
  const inner = hash(algorithm, Buffer.concat([key, salt, key]), "buffer");
  const outer = createHash(algorithm).update(key).update(salt).update(repeatTo(inner, key.length));
  for (let bits = key.length; bits > 0; bits >>>= 1) outer.update((bits & 1) === 1 ? inner : key);
  return outer.digest();
}

/** Steps 13 to 15, and 17 to 19. */
function digestOfRepeated(algorithm: string, bytes: Buffer, times: number): Buffer {
  return hash(algorithm, Buffer.alloc(bytes.length * times, bytes.length === 0 ? 0 : bytes), "buffer");
}

/** Steps 16 and 20. */
function repeatTo(bytes: Buffer, length: number): Buffer {
  return Buffer.alloc(length, bytes);
}

/** Step 21. A round's input has one of eight layouts; each is laid out once, and only the running digest changes. */
function runRounds(
  { algorithm, rounds }: Pick<ShaCryptTask, "algorithm" | "rounds">,
  start: Buffer,
  keySequence: Buffer,
  saltSequence: Buffer,
): Buffer {
  const layouts = Array.from({ length: 8 }, (_, kind) => {
    const isOdd = (kind & 1) === 1;
    const middle = [...((kind & 2) === 2 ? [saltSequence] : []), ...((kind & 4) === 4 ? [keySequence] : [])];
    const input = Buffer.concat(isOdd ? [keySequence, ...middle, start] : [start, ...middle, keySequence]);
    return { input, digestAt: isOdd ? input.length - start.length : 0 };
  });
  let digest = start;
  for (let round = 0; round < rounds; round += 1) {
    const layout = layouts[(round & 1) | (round % 3 === 0 ? 0 : 2) | (round % 7 === 0 ? 0 : 4)];
    if (layout === undefined) break;
    digest.copy(layout.input, layout.digestAt);
    digest = hash(algorithm, layout.input, "buffer");
  }
  return digest;
}

/** Step 22: ten or 21 groups of three bytes, then the last two bytes of SHA-256, or the last one of SHA-512. */
function encode(digest: Buffer): string {
  const isSha256 = digest.length === 32;
  const groups = isSha256 ? 10 : 21;
  let text = "";
  for (let [a, b, c] = [0, groups, 2 * groups], group = 0; group < groups; group += 1) {
    text += encodeGroup([digest[a], digest[b], digest[c]], 4);
    [a, b, c] = isSha256 ? [c + 1, a + 1, b + 1] : [b + 1, c + 1, a + 1];
  }
  return text + (isSha256 ? encodeGroup([0, digest[31], digest[30]], 3) : encodeGroup([0, 0, digest[63]], 2));
}

/** Encodes three bytes, most significant first, as `length` characters of six bits, least significant first. */
export function encodeGroup([high = 0, middle = 0, low = 0]: readonly (number | undefined)[], length: number): string {
  const bits = (high << 16) | (middle << 8) | low;
  return Array.from({ length }, (_, index) => alphabet[(bits >>> (6 * index)) & 63] ?? "").join("");
}

/**
 * `computeDigest` runs the rounds in another thread, because they take milliseconds of JavaScript. crypt(3) ends a password at NUL, so no
 * password that contains NUL was ever stored: it does not match.
 */
export async function verifyShaCrypt(
  stored: ShaCryptPassword,
  password: string,
  computeDigest: (task: ShaCryptTask) => Promise<string>,
): Promise<boolean> {
  if (password.includes("\0")) return false;
  const { algorithm, rounds, salt } = stored;
  const digest = await computeDigest({ algorithm, rounds, salt, password });
  return timingSafeEqual(Buffer.from(digest), Buffer.from(stored.digest));
}
