import type { CacheFlushScriptReply, cacheFlushScript, Request } from "@postern/shared/contracts";
import { type ScriptRunner, scriptCacheDigest } from "@postern/shared/domain/scripts";
import { fromUnknown } from "@postern/shared/platform/errors";
import { steadyClock } from "@postern/shared/platform/time";
import type { CallContext } from "../pipeline/attempt.ts";
import { CacheFlushResult, itemsOf, resultReader } from "./results.ts";
import type { SiteScriptSettings } from "./script-settings.ts";
import type { SiteScriptsDeps } from "./site-scripts.ts";

const read = resultReader(CacheFlushResult);

/**
 * The bus method `auth-engine.cache-flush-script`. Without a script, a name has no further names.
 *
 * @param runner the interpreters of actions, so that flushes and decisions do not wait for each other
 */
export function createCacheFlushScript(
  settings: () => Pick<SiteScriptSettings, "cacheFlush" | "actionTimeoutMs">,
  runner: Pick<ScriptRunner, "run">,
  observe: SiteScriptsDeps["observe"],
  onFailed: SiteScriptsDeps["onActionFailed"],
) {
  return async (
    { session, user }: Request<typeof cacheFlushScript>,
    { deadline }: Pick<CallContext, "deadline">,
  ): Promise<CacheFlushScriptReply> => {
    const { cacheFlush: script, actionTimeoutMs } = settings();
    if (script === undefined) return { accounts: [], cacheKeys: [] };
    const until = Math.min(deadline, steadyClock.now() + actionTimeoutMs);
    const call = { script, entry: "cache_flush", args: [{ session, user }], deadline: until, session };
    try {
      const { accounts, keys } = read(script, await runner.run(call));
      observe("cache_flush", "ok");
      return {
        accounts: [...itemsOf<string>(accounts)],
        cacheKeys: itemsOf<string>(keys).map((key) => scriptCacheDigest(key)),
      };
    } catch (thrown) {
      const error = fromUnknown(thrown);
      observe("cache_flush", "failed");
      onFailed(script, session, error);
      throw error;
    }
  };
}
