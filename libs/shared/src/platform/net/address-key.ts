import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** The group's bits that lie within a network of this length. */
function masked(group: number, index: number, prefix: number): number {
  const bits = Math.min(16, Math.max(0, prefix - 16 * index));
  return group & (0xffff << (16 - bits));
}

/**
 * The key by which counters and limits identify a client: an IPv4 address (mapped ones unmapped), or for IPv6 the network of one customer,
 * such as `2001:db8:1:2::/64`. Everything that is not an address shares the key `unknown`.
 */
export function addressKey(address: string, ipv6Prefix: number): string {
  const version = isIP(address);
  if (version === 4) return address;
  if (version === 0) return "unknown";
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  const network = new ipaddr.IPv6(parsed.parts.map((group, index) => masked(group, index, ipv6Prefix)));
  return `${network.toRFC5952String()}/${ipv6Prefix}`;
}
