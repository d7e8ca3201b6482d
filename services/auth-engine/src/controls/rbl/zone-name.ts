import { canonicalIp } from "@postern/shared/platform/net";
import ipaddr from "ipaddr.js";

export interface ZoneQuestion {
  readonly family: "ipv4" | "ipv6";
  /** The reversed address without the zone: `9.113.0.203`, or 32 nibbles (RFC 5782 §2.1, §2.4). */
  readonly reversed: string;
}

/** Undefined for anything but an address. IPv4 inside IPv6 is looked up as IPv4. */
export function zoneQuestion(address: string): ZoneQuestion | undefined {
  const canonical = canonicalIp(address);
  if (canonical === undefined) return undefined;
  if (!canonical.includes(":")) return { family: "ipv4", reversed: canonical.split(".").toReversed().join(".") };
  const nibbles = ipaddr.IPv6.parse(canonical)
    .toByteArray()
    .flatMap((byte) => [byte >> 4, byte & 15]);
  return {
    family: "ipv6",
    reversed: nibbles
      .toReversed()
      .map((nibble) => nibble.toString(16))
      .join("."),
  };
}
