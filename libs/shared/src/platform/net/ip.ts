import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * The canonical text of an address: IPv4-mapped IPv6 unmapped, zone ids removed, IPv6 in RFC 5952 form. Undefined if the text is not an
 * address; an unknown client is never trusted.
 */
export function canonicalIp(text: string): string | undefined {
  const trimmed = text.trim();
  const bare = trimmed.startsWith("[") && trimmed.endsWith("]") ? trimmed.slice(1, -1) : trimmed;
  const version = isIP(bare);
  if (version === 0) return undefined;
  if (version === 4) return bare;
  const zone = bare.indexOf("%");
  const address = ipaddr.IPv6.parse(zone === -1 ? bare : bare.slice(0, zone));
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address.toRFC5952String();
}

/**
 * Whether the address is reachable only from this machine; a host name other than `localhost` may resolve to anything.
 */
export function isLoopback(host: string): boolean {
  const address = canonicalIp(host);
  if (address === undefined) return host.toLowerCase() === "localhost";
  return ipaddr.parse(address).range() === "loopback";
}

/**
 * Whether the text is an address that the whole Internet routes, and that stands for itself: not private, loopback, link-local, reserved, and
 * not an IPv6 address that a tunnel or translator turns into an IPv4 address.
 */
export function isPublicAddress(text: string): boolean {
  const canonical = canonicalIp(text);
  if (canonical === undefined) return false;
  const address = ipaddr.parse(canonical);
  // RFC 4291 §2.5.5.1: the deprecated form of an embedded IPv4 address counts as unicast.
  const isCompatible = address instanceof ipaddr.IPv6 && address.parts.slice(0, 6).every((part) => part === 0);
  return address.range() === "unicast" && !isCompatible;
}
