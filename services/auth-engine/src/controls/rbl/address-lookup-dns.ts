import { Resolver } from "node:dns/promises";
import type { AddressLookup, LookupAnswer } from "./address-lookup.ts";

export interface DnsLookupSettings {
  /** Addresses with ports; none takes the system's. */
  readonly servers: readonly string[];
  readonly timeoutMs: number;
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "UNKNOWN";
}

/** No such name, or no address of it: an answer too. All else says nothing about the name. */
const absentCodes = new Set(["ENOTFOUND", "ENODATA"]);

/** Asks name servers over the network, twice within the time that is allowed. */
export function createDnsLookup({ servers, timeoutMs }: DnsLookupSettings): AddressLookup {
  const each = Math.max(1, Math.floor(timeoutMs / 2));
  const resolver = new Resolver({ timeout: each, tries: 2, maxTimeout: each });
  if (servers.length > 0) resolver.setServers(servers);

  const ask = async (name: string): Promise<LookupAnswer> => {
    try {
      const records = await resolver.resolve4(name, { ttl: true });
      const ttlSeconds = Math.min(...records.map(({ ttl }) => ttl));
      return { kind: "found", addresses: records.map(({ address }) => address), ttlMs: ttlSeconds * 1000 };
    } catch (thrown) {
      const code = codeOf(thrown);
      return absentCodes.has(code) ? { kind: "absent" } : { kind: "failed", reason: code };
    }
  };

  const lookUp = async (name: string): Promise<LookupAnswer> => {
    const late = Promise.withResolvers<LookupAnswer>();
    const timer = setTimeout(() => late.resolve({ kind: "failed", reason: "ETIMEOUT" }), timeoutMs);
    try {
      return await Promise.race([ask(name), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
  return { lookUp };
}
