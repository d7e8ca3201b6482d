import { randomUUID } from "node:crypto";
import { cacheFlushScript } from "../../contracts/engine/methods.ts";
import type { Bus } from "../../platform/bus/bus.ts";
import { abortAfter } from "../../platform/concurrency/deadline.ts";
import { scriptCacheKey } from "../../platform/redis/keys/scripts.ts";
import type { Clock } from "../../platform/time/clock.ts";

/** What the site's script returns for a name. */
export interface ScriptedNames {
  /** Other names of the account. */
  readonly accounts: readonly string[];
  /** Keys of the role `cache` that the site's scripts store about it. */
  readonly keys: readonly string[];
  /** False if a script is configured and did not answer. */
  readonly isComplete: boolean;
}

/** Never rejects. */
export type FindScriptedNames = (user: string) => Promise<ScriptedNames>;

export interface ScriptedNamesDeps {
  readonly bus: Pick<Bus, "request">;
  readonly clock: Clock;
  readonly keyPrefix: string;
  /** Whether `cache_flush_script_path` is set. */
  readonly hasScript: () => boolean;
  readonly timeoutMs: number;
}

/** Calls an engine, because the site's scripts run there. */
export function createScriptedNames({
  bus,
  clock,
  keyPrefix,
  hasScript,
  timeoutMs,
}: ScriptedNamesDeps): FindScriptedNames {
  return async (user) => {
    if (!hasScript()) return { accounts: [], keys: [], isComplete: true };
    const call = { deadline: clock.now() + timeoutMs, signal: abortAfter(timeoutMs) };
    try {
      const answer = await bus.request(cacheFlushScript, { session: randomUUID(), user }, call);
      const keys = answer.cacheKeys.map((digest) => scriptCacheKey.build(keyPrefix, digest));
      return { accounts: answer.accounts, keys, isComplete: true };
    } catch {
      // The engine that ran the script logs the reason; the status tells the operator.
      return { accounts: [], keys: [], isComplete: false };
    }
  };
}
