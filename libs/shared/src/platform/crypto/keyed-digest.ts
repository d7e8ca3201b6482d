import { hash, type KeyObject } from "node:crypto";

/** HMAC-SHA-256 (RFC 2104) of UTF-8 text under one key. `binary` returns one character for each of the 32 bytes. */
export type KeyedDigest = (text: string, encoding: "binary" | "base64url") => string;

const blockBytes = 64;
const digestBytes = 32;
const roomBytes = 4096;

function padded(key: Buffer, pad: number): Buffer {
  const block = Buffer.alloc(blockBytes, pad);
  for (const [index, byte] of key.entries()) block[index] = byte ^ pad;
  return block;
}

/**
 * Used for every decision: two one-shot hashes take a third of the time of `createHmac`. The text is wiped from the working buffer, which
 * outlives the call.
 */
export function createKeyedDigest(secret: KeyObject): KeyedDigest {
  const rawKey = secret.export();
  const key = rawKey.length > blockBytes ? hash("sha256", rawKey, "buffer") : rawKey;
  const inner = Buffer.concat([padded(key, 0x36), Buffer.alloc(roomBytes)]);
  const outer = Buffer.concat([padded(key, 0x5c), Buffer.alloc(digestBytes)]);
  const innerDigest = (text: string): string => {
    // A UTF-16 code unit takes at most three bytes in UTF-8.
    if (text.length * 3 > roomBytes) {
      return hash("sha256", Buffer.concat([inner.subarray(0, blockBytes), Buffer.from(text)]), "binary");
    }
    const end = blockBytes + inner.write(text, blockBytes);
    const digest = hash("sha256", inner.subarray(0, end), "binary");
    inner.fill(0, blockBytes, end);
    return digest;
  };
  return (text, encoding) => {
    outer.write(innerDigest(text), blockBytes, "latin1");
    return hash("sha256", outer, encoding);
  };
}
