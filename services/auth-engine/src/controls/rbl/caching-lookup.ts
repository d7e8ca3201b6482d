import { createBoundedCache } from "@postern/shared/platform/cache";
import type { Clock } from "@postern/shared/platform/time";
import type { RblControlSettings } from "../control-settings.ts";
import type { AddressLookup, LookupAnswer } from "./address-lookup-dns.ts";

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
