import { Resolver } from "node:dns/promises";
import { createBoundedCache } from "@postern/shared/platform/cache";
import { within } from "@postern/shared/platform/concurrency";
import type { Clock } from "@postern/shared/platform/time";
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

/** These errors are answers: there is no such name, or it has no address. Any other error says nothing about the name. */
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

/** Long enough that a burst of logins does not cause one query each. */
const failureTtlMs = 1000;

/**
 * Keeps answers for as long as they are valid, at most `maxEntries` of them; a full cache removes the least recently
 * used. Logins that need the same answer at the same time share one query.
 */
export function createCachingLookup(
  lookup: AddressLookup,
  clock: Clock,
  settings: RblControlSettings["cache"],
): AddressLookup {
  const kept = createBoundedCache<LookupAnswer>({ maxEntries: settings.maxEntries, evict: "least-used", clock });
  const underWay = new Map<string, Promise<LookupAnswer>>();

  const lifeOf = (answer: LookupAnswer): number => {
    if (answer.kind === "found") return Math.min(answer.ttlMs, settings.maxTtlMs);
    return answer.kind === "absent" ? settings.absentTtlMs : failureTtlMs;
  };
  const ask = async (name: string): Promise<LookupAnswer> => {
    try {
      const answer = await lookup.lookUp(name);
      kept.set(name, answer, lifeOf(answer));
      return answer;
    } finally {
      underWay.delete(name);
    }
  };

  return {
    lookUp: async (name) => {
      const answer = kept.get(name);
      if (answer !== undefined) return answer;
      const running = underWay.get(name);
      if (running !== undefined) return running;
      if (underWay.size >= settings.maxInFlight) return { kind: "failed", reason: "too many queries" };
      const pending = ask(name);
      underWay.set(name, pending);
      return pending;
    },
  };
}
