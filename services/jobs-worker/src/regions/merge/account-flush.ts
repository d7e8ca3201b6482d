import { type BruteForceRecords, type FlushDeps, forgetWrongPasswords } from "@postern/shared/domain/brute-force";
import type { EventOfKind } from "@postern/shared/domain/regions";
import type { RedisClient } from "@postern/shared/platform/redis";

export interface AccountFlushDeps {
  /** The client of the role `cache`. */
  readonly cache: RedisClient;
  /** Draws a new epoch of this region, and removes the cached results. */
  readonly flushResults: (user: string) => Promise<unknown>;
  /** Keys that the site's scripts cache about the account. */
  readonly scriptedNames: (user: string) => Promise<{ readonly keys: readonly string[] }>;
  readonly records: Pick<BruteForceRecords, "addressesOf" | "flush">;
  readonly flushDeps: FlushDeps;
}

/**
 * Flushes an account that another region has flushed. Its failures over all networks have their own event, and the facts about its sign-ins
 * go with the feed of facts. The addresses that only this
 * region knows are flushed as if an operator had flushed them here, so that all regions hear of it.
 */
export function createApplyAccountFlush(deps: AccountFlushDeps) {
  const { cache, flushResults, scriptedNames, records, flushDeps } = deps;
  return async ({ user, keepsBans = false }: EventOfKind<"account-flush">): Promise<void> => {
    await flushResults(user);
    const addresses = await records.addressesOf(user);
    await forgetWrongPasswords(flushDeps, user, addresses);
    if (!keepsBans) for (const ipAddress of addresses) await records.flush({ ipAddress, ruleName: "*" });
    // Last, because a script may take its time.
    const { keys } = await scriptedNames(user);
    await Promise.all(keys.map((key) => cache.del(key)));
  };
}
