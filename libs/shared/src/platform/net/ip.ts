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

const ipv4Of = (high: number, low: number): ipaddr.IPv4 =>
  new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);

/** The documentation ranges are `reserved`; they are included for tests. */
const publicRanges: ReadonlySet<string> = new Set(["unicast", "reserved"]);

function embedded(parts: readonly number[]): ipaddr.IPv4 | undefined {
  const [first = 0, second = 0, third = 0] = parts;
  const [sixth = 0, seventh = 0] = parts.slice(6);
  // RFC 3056: 2002:V4ADDR::/48.
  if (first === 0x2002) return ipv4Of(second, third);
  // RFC 4380 §4: the client's address is the last 32 bits, each inverted.
  if (first === 0x2001 && second === 0) return ipv4Of(sixth ^ 0xffff, seventh ^ 0xffff);
  // RFC 6052 §2.1: the well-known prefix of translators, 64:ff9b::/96.
  const isTranslated = first === 0x64 && second === 0xff9b && parts.slice(2, 6).every((part) => part === 0);
  return isTranslated ? ipv4Of(sixth, seventh) : undefined;
}

/**
 * The IPv4 address behind a canonical IPv6 address of 6to4, Teredo or NAT64, because one IPv4 client can choose among many such IPv6
 * networks. Undefined for all other addresses, and where the IPv4 address is not public, because no client has such an address.
 * IPv4-compatible addresses (`::192.0.2.1`, RFC 4291) are deprecated and not routed.
 */
export function embeddedIpv4(address: string): string | undefined {
  if (!/^(?:2002|2001|64):/.test(address)) return undefined;
  const ipv4 = embedded(ipaddr.IPv6.parse(address).parts);
  return ipv4 !== undefined && publicRanges.has(ipv4.range()) ? ipv4.toString() : undefined;
}
