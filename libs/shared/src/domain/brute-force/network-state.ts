import { networkElsewhereKey } from "../../platform/redis/keys/brute-force.ts";
import type { FlushDeps } from "./flush.ts";
import { type Source, sourceOf } from "./source.ts";

/** The fields of a failure count, as the counting script writes them. */
type Fields = Readonly<Record<string, string>>;

const numberIn = (fields: Fields, name: string): number => {
  const value = Number(fields[name] ?? 0);
  return Number.isFinite(value) && value > 0 ? value : 0;
};

/**
 * Failures within the last period, as the counting script sees them: those of its window, and of the one before in proportion to its part
 * that is less than a period ago. Rounded down, so that it reaches the limit only when the network does.
 */
export function failureWindow(fields: Fields, periodMs: number, nowMs: number): number {
  const window = Math.floor(nowMs / periodMs);
  const written = numberIn(fields, "w");
  const share = 1 - (nowMs % periodMs) / periodMs;
  const now = numberIn(fields, "k") + numberIn(fields, "u");
  if (written === window) return Math.floor(now + (numberIn(fields, "pk") + numberIn(fields, "pu")) * share);
  // The clock of Redis, which decides, may be ahead of this one.
  if (written > window) return Math.floor(now + numberIn(fields, "pk") + numberIn(fields, "pu"));
  return written === window - 1 ? Math.floor(now * share) : 0;
}

/** The same for what other regions have counted, each by its own clock, as it is stored here. */
function failuresElsewhere(stored: string | null, periodMs: number, nowMs: number): number {
  const entries = (stored ?? "").split(";").map((entry) => entry.split(" "));
  const counts = entries.map(([, , , ahead = "", w = "", k = "", u = "", pk = "", pu = ""]) =>
    w === "" ? 0 : failureWindow({ w, k, u, pk, pu }, periodMs, nowMs + Number(ahead)),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

interface Deps extends Omit<FlushDeps, "bus" | "regions"> {
  /** Whether other regions count too. */
  readonly hasRegions: boolean;
}

/** What other regions have counted, for each rule of the source. */
async function readElsewhere({ redis, keyPrefix, hasRegions }: Deps, { tag, scopes }: Source) {
  if (!hasRegions) return [];
  return redis.mget(scopes.map(({ rule, network }) => networkElsewhereKey.build(keyPrefix, tag, rule.name, network)));
}

/** @param addresses of one network. Rejects without Redis. */
async function guessesOf({ redis }: Deps, sources: readonly Source[]): Promise<number> {
  // Keys with one tag are in one slot of a cluster; a guess from two of them counts once.
  const byTag = Map.groupBy(new Set(sources.map(({ tag, guessesKey }) => ({ tag, guessesKey }))), ({ tag }) => tag);
  const counts = await Promise.all(
    [...byTag.values()].map((of) => redis.pfcount(...new Set(of.map(({ guessesKey }) => guessesKey)))),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** What is counted of the failures of a network. Both reject without Redis. */
export function createNetworkState(deps: Deps) {
  const { redis, keyPrefix, rules, clock } = deps;
  const sourceAt = (address: string): Source | undefined => sourceOf(address, { ...rules(), keyPrefix });
  return {
    /** By rule, for the networks in which the rules count this address. Empty for anything but an address. */
    rulesOf: async (address: string) => {
      const source = sourceAt(address);
      if (source === undefined) return [];
      const { scopes } = source;
      const [elsewhere, ...found] = await Promise.all([
        readElsewhere(deps, source),
        ...scopes.map(({ countKey }) => redis.hgetall(countKey)),
      ]);
      const nowMs = clock.now();
      return scopes.map(({ rule, network }, index) => ({
        rule: rule.name,
        /** The network in which the rule counts, and its prefix length. */
        network,
        prefix: rule.cidr,
        /** Those that count now in all regions, before tolerance. */
        failures:
          failureWindow(found[index] ?? {}, rule.periodMs, nowMs) +
          failuresElsewhere(elsewhere[index] ?? null, rule.periodMs, nowMs),
        /** Failures from which the rule bans. */
        limit: rule.failedRequests,
        periodMs: rule.periodMs,
        protocols: rule.protocols,
      }));
    },
    /** Approximate number of different wrong passwords of the last day, each with its name. */
    guessesOf: async (addresses: readonly string[]): Promise<number> =>
      guessesOf(
        deps,
        addresses.map(sourceAt).filter((source) => source !== undefined),
      ),
  };
}

/** How near a network is to a ban by one rule. */
export type RuleState = Awaited<ReturnType<ReturnType<typeof createNetworkState>["rulesOf"]>>[number];
