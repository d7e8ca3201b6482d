import { createHmac } from "node:crypto";

/** The current code (RFC 6238) of JBSWY3DPEHPK3PXP, computed independently of the code under test. */
export function currentCode(): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const mac = createHmac("sha1", Buffer.from("48656c6c6f21deadbeef", "hex")).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}
