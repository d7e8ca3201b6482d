import { addressKey } from "../../platform/net/address-key.ts";

/**
 * The network of a canonical address, such as `192.0.2.0/24` or `2001:db8:1:2::/64`; a single address has no prefix length.
 */
export function networkOf(address: string, length: number): string {
  if (address.includes(":")) {
    return length >= 128 ? address : addressKey(address, length);
  }
  if (length >= 32) return address;
  let bits = 0;
  for (const part of address.split(".")) bits = bits * 256 + Number(part);
  const size = 2 ** (32 - length);
  const base = Math.floor(bits / size) * size;
  const byte = (shift: number): number => Math.floor(base / 2 ** shift) % 256;
  return `${byte(24)}.${byte(16)}.${byte(8)}.${byte(0)}/${length}`;
}
