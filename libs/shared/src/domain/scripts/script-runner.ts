import { AppError } from "../../platform/errors/app-error.ts";
import type { LuaValue } from "./lua-value.ts";
import type { ScriptCall } from "./messages.ts";
import type { ScriptPool } from "./pool.ts";

/**
 * Compiled scripts of another configuration. One of the two functions must be called, otherwise their threads remain.
 */
export interface PreparedScripts {
  /** Replaces the current scripts. */
  use(): void;
  discard(): Promise<void>;
}

/**
 * The current pool. A reload replaces it; the old pool ends with its last call.
 * @param first absent if no script is configured.
 * @param lingerMs time that calls to a replaced pool may still take, in milliseconds.
 */
export function createScriptRunner(first: ScriptPool | undefined, lingerMs: number, onError: (error: unknown) => void) {
  let current = first;
  const retired = new Map<ScriptPool, NodeJS.Timeout>();
  const end = (pool: ScriptPool): void => {
    retired.delete(pool);
    pool.close().catch(onError);
  };
  return {
    run: (call: ScriptCall): Promise<LuaValue> =>
      current?.run(call) ?? Promise.reject(new AppError("SCRIPT_FAILED", { detail: `${call.script} is not loaded` })),
    inFlight: (): number => current?.load().inFlight ?? 0,
    swap: (next: ScriptPool | undefined): void => {
      const old = current;
      current = next;
      if (old !== undefined) retired.set(old, setTimeout(() => end(old), lingerMs).unref());
    },
    close: async (): Promise<void> => {
      for (const timer of retired.values()) clearTimeout(timer);
      await Promise.all([...retired.keys(), ...(current === undefined ? [] : [current])].map((pool) => pool.close()));
      retired.clear();
    },
  };
}

export type ScriptRunner = ReturnType<typeof createScriptRunner>;
