import { hash, type KeyObject } from "node:crypto";

/** HMAC-SHA-256 (RFC 2104) of UTF-8 text under one key: `binary` is a character for each of its 32 bytes. */
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
 * For what every decision digests: two one-shot hashes take a third of the time of a `createHmac`. The text is wiped
 * from the working buffer, whose bytes outlive the call.
 */
export function createKeyedDigest(secret: KeyObject): KeyedDigest {
  const given = secret.export();
  const key = given.length > blockBytes ? hash("sha256", given, "buffer") : given;
  const inner = Buffer.concat([padded(key, 0x36), Buffer.alloc(roomBytes)]);
  const outer = Buffer.concat([padded(key, 0x5c), Buffer.alloc(digestBytes)]);
  const innerDigest = (text: string): string => {
    // Three bytes are the most that UTF-8 takes for one unit of a text.
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
