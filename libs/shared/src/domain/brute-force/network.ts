import { addressKey } from "../../platform/net/ip.ts";

const dot = 46;
const digitZero = 48;

/**
 * The network of a canonical address, such as `192.0.2.0/24` or `2001:db8:1:2::/64`; a single address has no prefix length.
 */
export function networkOf(address: string, length: number): string {
  if (address.includes(":")) {
    return length >= 128 ? address : addressKey(address, length);
  }
  if (length >= 32) return address;
  let bits = 0;
  let part = 0;
  for (let index = 0; index < address.length; index += 1) {
    const code = address.charCodeAt(index);
    if (code === dot) {
      bits = bits * 256 + part;
      part = 0;
    } else part = part * 10 + code - digitZero;
  }
  bits = bits * 256 + part;
  const size = 2 ** (32 - length);
  const base = Math.floor(bits / size) * size;
  const byte = (shift: number): number => Math.floor(base / 2 ** shift) % 256;
  return `${byte(24)}.${byte(16)}.${byte(8)}.${byte(0)}/${length}`;
}
