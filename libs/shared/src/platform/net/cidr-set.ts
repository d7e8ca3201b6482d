import { BlockList, isIP } from "node:net";
import { canonicalIp } from "./ip.ts";

/** A set of addresses and networks. */
export type CidrSet = ReturnType<typeof createCidrSet>;

/** Parses `192.0.2.0/24`, `2001:db8::/32` or `192.0.2.1`; undefined for anything else. */
export function parseCidr(entry: string): { address: string; prefix: number; family: "ipv4" | "ipv6" } | undefined {
  const [host = "", length, ...rest] = entry.trim().split("/");
  const version = isIP(host);
  if (version === 0 || rest.length > 0 || host.includes("%")) return undefined;
  const family = version === 4 ? "ipv4" : "ipv6";
  const bits = version === 4 ? 32 : 128;
  if (length === undefined) return { address: host, prefix: bits, family };
  const prefix = /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  return prefix >= 0 && prefix <= bits ? { address: host, prefix, family } : undefined;
}

/** Throws a RangeError that names the first entry which is neither an address nor a network. */
export function createCidrSet(entries: readonly string[]) {
  const list = new BlockList();
  for (const entry of entries) {
    const cidr = parseCidr(entry);
    if (cidr === undefined) throw new RangeError(`"${entry}" is neither an address nor a network`);
    list.addSubnet(cidr.address, cidr.prefix, cidr.family);
  }
  return {
    /** Returns false for a text that is not an address. */
    has: (address: string): boolean => {
      const canonical = canonicalIp(address);
      if (canonical === undefined) return false;
      return list.check(canonical, canonical.includes(":") ? "ipv6" : "ipv4");
    },
  };
}
