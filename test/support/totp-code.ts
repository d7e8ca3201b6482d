import { createHmac } from "node:crypto";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The code of a Base32 secret (RFC 6238), computed independently of the code under test. */
export function totpCode(secret: string, step: number = Math.floor(Date.now() / 30_000)): string {
  const bits = secret.replaceAll(/[A-Z2-7]/g, (letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0"));
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", key).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}
