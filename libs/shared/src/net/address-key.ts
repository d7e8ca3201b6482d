import ipaddr from "ipaddr.js";
import { canonicalIp } from "./ip.ts";

/**
 * What counters and limits know a client by: an IPv4 address as it is (mapped ones unmapped), of an IPv6 address the
 * network that one customer has, as `2001:db8:1:2::/64`. All that is no address is one client, `unknown`.
 */
export function addressKey(address: string, ipv6Prefix: number): string {
  const canonical = canonicalIp(address);
  if (canonical === undefined) return "unknown";
  if (!canonical.includes(":")) return canonical;
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${canonical}/${ipv6Prefix}`);
  return `${network.toRFC5952String()}/${ipv6Prefix}`;
}
