import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** The group's bits that are inside a network of this length. */
function masked(group: number, index: number, prefix: number): number {
  const bits = Math.min(16, Math.max(0, prefix - 16 * index));
  return group & (0xffff << (16 - bits));
}

/**
 * What counters and limits know a client by: an IPv4 address as it is (mapped ones unmapped), of an IPv6 address the
 * network that one customer has, as `2001:db8:1:2::/64`. All that is no address is one client, `unknown`.
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
