import { randomUUID } from "node:crypto";
import type { Bus } from "../bus/bus.ts";
import { cacheFlushScript } from "../contracts/engine/cache-flush-script.ts";
import { scriptCacheKey } from "../redis/keys/scripts.ts";
import type { Clock } from "../time/clock.ts";

/** What the site's script says of a name. */
export interface SiteNames {
  /** Other names of the account. */
  readonly accounts: readonly string[];
  /** Keys of the role `cache` that the site's scripts keep about it. */
  readonly keys: readonly string[];
  /** False when there is a script and it gave no answer. */
  readonly isComplete: boolean;
}

/** Never rejects. */
export type FindSiteNames = (user: string) => Promise<SiteNames>;

export interface SiteNamesDeps {
  readonly bus: Pick<Bus, "request">;
  readonly clock: Clock;
  readonly prefix: string;
  /** Whether `cache_flush_script_path` is set. */
  readonly hasScript: () => boolean;
  readonly timeoutMs: number;
}

/** Asks an engine, where the site's scripts run. */
export function createSiteNames({ bus, clock, prefix, hasScript, timeoutMs }: SiteNamesDeps): FindSiteNames {
  return async (user) => {
    if (!hasScript()) return { accounts: [], keys: [], isComplete: true };
    const call = { deadline: clock.now() + timeoutMs, signal: AbortSignal.timeout(timeoutMs) };
    try {
      const answer = await bus.request(cacheFlushScript, { session: randomUUID(), user }, call);
      const keys = answer.cacheKeys.map((digest) => scriptCacheKey.build(prefix, digest));
      return { accounts: answer.accounts, keys, isComplete: true };
    } catch {
      // Why is in the log of the engine that ran it, if one did; whoever flushes is told by the status.
      return { accounts: [], keys: [], isComplete: false };
    }
  };
}
