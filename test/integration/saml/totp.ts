import { createHmac } from "node:crypto";

/** RFC 6238 for JBSWY3DPEHPK3PXP, written apart from the code under test. */
export function currentCode(): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const mac = createHmac("sha1", Buffer.from("48656c6c6f21deadbeef", "hex")).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}
