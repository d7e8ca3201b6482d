import { canonicalIp } from "../../platform/net/ip.ts";
import { networkOf } from "../brute-force/network.ts";

/** How many leading bits of an address are kept. */
export interface AddressTruncation {
  readonly ipv4Bits: number;
  readonly ipv6Bits: number;
}

/**
 * The address's network, such as `192.0.2.0/24`, or the whole address if all bits are kept. Undefined if the text is not an address.
 */
export function truncateAddress(address: string, { ipv4Bits, ipv6Bits }: AddressTruncation): string | undefined {
  const canonical = canonicalIp(address);
  if (canonical === undefined) return undefined;
  return networkOf(canonical, canonical.includes(":") ? ipv6Bits : ipv4Bits);
}
