import { networkOf } from "../brute-force/network.ts";
import { canonicalIp } from "../net/ip.ts";

/** How many leading bits of an address are kept. */
export interface AddressTruncation {
  readonly ipv4Bits: number;
  readonly ipv6Bits: number;
}

/** The address's network, as `192.0.2.0/24`; the whole address where all bits are kept. What is no address is left out. */
export function truncateAddress(address: string, { ipv4Bits, ipv6Bits }: AddressTruncation): string | undefined {
  const canonical = canonicalIp(address);
  if (canonical === undefined) return undefined;
  return networkOf(canonical, canonical.includes(":") ? ipv6Bits : ipv4Bits);
}
