import { createAccountFlush } from "@postern/shared/domain/account-epoch";
import { createBruteForceRecords, createRegionalFlush, forgetWrongPasswords } from "@postern/shared/domain/brute-force";
import { createScriptedNames } from "@postern/shared/domain/flush";
import type { EventOfKind } from "@postern/shared/domain/regions";
import type { MergeParts } from "./parts.ts";

/**
 * Flushes an account that another region has flushed. Its failures over all networks have their own event, and the facts about its sign-ins
 * go with the feed of facts. The addresses that only this
 * region knows are flushed as if an operator had flushed them here, so that all regions hear of it.
 */
export function createApplyAccountFlush({ state, cache, keyPrefix, bus, live, clock, region }: MergeParts) {
  const regions = createRegionalFlush(state, keyPrefix, region);
  const flushDeps = { redis: state, keyPrefix, rules: () => live.current.rules, clock, regions, bus };
  const flushResults = createAccountFlush({ redis: cache, bus, keyPrefix });
  const scriptedNames = createScriptedNames(bus, keyPrefix, () => live.current.hasScript);
  const records = createBruteForceRecords(flushDeps);
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
