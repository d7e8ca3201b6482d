import type { RedisClient } from "../../../platform/redis/client.ts";
import { changedCountsKey } from "../../../platform/redis/keys/brute-force.ts";
import { ChangeMarks } from "../../regions/index.ts";

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
  readonly #marks: ChangeMarks;

  constructor(redis: RedisClient, keyPrefix: string) {
    this.#marks = new ChangeMarks(redis, keyPrefix, changedCountsKey);
  }

  /** @returns the version of the last one. @throws what Redis throws */
  mark(counts: readonly string[]): Promise<string> {
    return this.#marks.mark(counts);
  }

  /** Soon, and not at all if Redis is unavailable: the next failure of the same count is noted again. */
  markSoon(counts: readonly CountName[]): void {
    this.#marks.markSoon(counts.map(countText));
  }
}
