import ipaddr from "ipaddr.js";

type Groups = readonly number[];

const ipv4Of = (high: number, low: number): ipaddr.IPv4 =>
  new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);

/** The documentation ranges are `reserved`; they are included for tests. */
const publicRanges: ReadonlySet<string> = new Set(["unicast", "reserved"]);

function embedded(parts: Groups): ipaddr.IPv4 | undefined {
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
