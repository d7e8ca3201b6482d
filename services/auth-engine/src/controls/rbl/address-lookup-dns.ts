import { Resolver } from "node:dns/promises";
import { within } from "@postern/shared/platform/concurrency";
import type { RblControlSettings } from "../control-settings.ts";

/** A name server's answer about a name's IPv4 addresses. `ttlMs` is the record's lifetime. */
export type LookupAnswer =
  | { readonly kind: "found"; readonly addresses: readonly string[]; readonly ttlMs: number }
  | { readonly kind: "absent" }
  | { readonly kind: "failed"; readonly reason: string };

/** Port of the DNS: the addresses of a name. Never throws, and answers within its own time limit. */
export interface AddressLookup {
  lookUp(name: string): Promise<LookupAnswer>;
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "UNKNOWN";
}

/** No such name, or no address: an answer too. Any other error says nothing about the name. */
const absentCodes = new Set(["ENOTFOUND", "ENODATA"]);

/** Queries name servers (the system's if `servers` is empty) over the network, at most twice within the time limit. */
export function createDnsLookup({ servers, timeoutMs }: RblControlSettings["dns"]): AddressLookup {
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

  // `ask` never rejects, so a rejection is the end of the time.
  const lookUp = (name: string): Promise<LookupAnswer> =>
    within(ask(name), timeoutMs).catch((): LookupAnswer => ({ kind: "failed", reason: "ETIMEOUT" }));
  return { lookUp };
}
