import type { RedisClient } from "../../../platform/redis/client.ts";
import { changedCountsKey } from "../../../platform/redis/keys/brute-force.ts";
import { defineScript } from "../../../platform/redis/script.ts";
import markCountsLua from "./scripts/mark-counts.lua?raw";

const markCounts = {
  name: "markCounts",
  lua: markCountsLua,
  keys: ["changesKey"],
  args: ["maxCounts", "lifeSeconds", "counts"],
} as const;

/** A reader that is further behind misses counts until they change again. */
const maxCounts = 200_000;
/** In a storm, one command notes what all failures of this time have changed. */
const gatherMs = 20;
const maxAtOnce = 1000;

/**
 * What other regions read of this one, in the form in which its change is noted: the count of a network under a rule, the failures of an
 * account, or the networks that an account knows. Accounts have their folded names.
 */
export type CountName =
  | { readonly network: string; readonly rule: string }
  | { readonly account: string }
  | { readonly knownTo: string };

export function countText(count: CountName): string {
  if ("account" in count) return `a ${count.account}`;
  return "knownTo" in count ? `k ${count.knownTo}` : `n ${count.network} ${count.rule}`;
}

export function countNamed(text: string): CountName | undefined {
  if (text.startsWith("a ")) return { account: text.slice(2) };
  if (text.startsWith("k ")) return { knownTo: text.slice(2) };
  const [, network, rule] = /^n (\S+) (.+)$/su.exec(text) ?? [];
  return network === undefined || rule === undefined ? undefined : { network, rule };
}

/** Notes which counts have changed, so that the other regions read them. */
export class CountMarks {
  readonly #key: string;
  readonly #run;
  #waiting = new Set<string>();

  constructor(redis: RedisClient, keyPrefix: string) {
    this.#key = changedCountsKey.build(keyPrefix);
    this.#run = defineScript(redis, markCounts);
  }

  /** @returns the version of the last one. @throws what Redis throws */
  async mark(counts: readonly string[]): Promise<string> {
    const args = { maxCounts, lifeSeconds: changedCountsKey.ttlSeconds, counts: JSON.stringify(counts) };
    return String(await this.#run({ changesKey: this.#key }, args));
  }

  /** Soon, and not at all if Redis is unavailable: the next failure of the same count is noted again. */
  markSoon(counts: readonly CountName[]): void {
    if (this.#waiting.size === 0 && counts.length > 0) setTimeout(() => this.#flush(), gatherMs).unref();
    for (const count of counts) this.#waiting.add(countText(count));
  }

  #flush(): void {
    const counts = [...this.#waiting];
    this.#waiting = new Set();
    for (let first = 0; first < counts.length; first += maxAtOnce)
      void this.mark(counts.slice(first, first + maxAtOnce)).catch(() => undefined);
  }
}
