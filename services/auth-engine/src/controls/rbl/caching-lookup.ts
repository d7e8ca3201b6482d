import type { Clock } from "@postern/shared/time";
import type { AddressLookup, LookupAnswer } from "./address-lookup.ts";

export interface CachingLookupSettings {
  readonly maxEntries: number;
  readonly maxTtlMs: number;
  readonly absentTtlMs: number;
  /** Questions under way; more are failures at once. */
  readonly maxInFlight: number;
}

export interface CachingLookupDeps {
  readonly lookup: AddressLookup;
  readonly clock: Clock;
  readonly settings: CachingLookupSettings;
}

interface Kept {
  readonly answer: LookupAnswer;
  readonly until: number;
}

/** A failure is kept just as long as a storm of logins needs to not become a storm of questions. */
const failureTtlMs = 1000;

/**
 * Keeps answers for their life, at most `maxEntries` of them, the longest unused going first. Logins that ask the same
 * at the same time share one question.
 */
export function createCachingLookup({ lookup, clock, settings }: CachingLookupDeps): AddressLookup {
  const kept = new Map<string, Kept>();
  const underWay = new Map<string, Promise<LookupAnswer>>();

  const lifeOf = (answer: LookupAnswer): number => {
    if (answer.kind === "found") return Math.min(answer.ttlMs, settings.maxTtlMs);
    return answer.kind === "absent" ? settings.absentTtlMs : failureTtlMs;
  };
  const keep = (name: string, answer: LookupAnswer): void => {
    const life = lifeOf(answer);
    if (life <= 0) return;
    kept.delete(name);
    kept.set(name, { answer, until: clock.now() + life });
    for (const oldest of kept.keys()) {
      if (kept.size <= settings.maxEntries) break;
      kept.delete(oldest);
    }
  };
  const fresh = (name: string): LookupAnswer | undefined => {
    const found = kept.get(name);
    if (found === undefined) return undefined;
    kept.delete(name);
    if (found.until <= clock.now()) return undefined;
    kept.set(name, found);
    return found.answer;
  };
  const ask = async (name: string): Promise<LookupAnswer> => {
    try {
      const answer = await lookup.lookUp(name);
      keep(name, answer);
      return answer;
    } finally {
      underWay.delete(name);
    }
  };

  return {
    lookUp: async (name) => {
      const answer = fresh(name);
      if (answer !== undefined) return answer;
      const running = underWay.get(name);
      if (running !== undefined) return running;
      if (underWay.size >= settings.maxInFlight) return { kind: "failed", reason: "too many questions" };
      const asked = ask(name);
      underWay.set(name, asked);
      return asked;
    },
  };
}
