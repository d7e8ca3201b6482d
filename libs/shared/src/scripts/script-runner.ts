import { AppError } from "../errors/app-error.ts";
import type { LuaValue } from "./lua-value.ts";
import type { ScriptPool } from "./pool.ts";
import type { ScriptCall } from "./script-call.ts";

/** The pool in use. A reload puts another in its place; the old one ends when its last call is over. */
export interface ScriptRunner {
  run(call: ScriptCall): Promise<LuaValue>;
  inFlight(): number;
  swap(next: ScriptPool | undefined): void;
  close(): Promise<void>;
}

/** Scripts of another configuration that compiled: one of the two must be called, or their threads stay. */
export interface PreparedScripts {
  /** Puts them in the place of those in use. */
  use(): void;
  discard(): Promise<void>;
}

export interface ScriptRunnerDeps {
  /** Absent while no script is configured. */
  readonly first: ScriptPool | undefined;
  /** How long calls to a replaced pool may still take. */
  readonly lingerMs: number;
  readonly onError: (error: unknown) => void;
}

export function createScriptRunner({ first, lingerMs, onError }: ScriptRunnerDeps): ScriptRunner {
  let current = first;
  const retired = new Map<ScriptPool, NodeJS.Timeout>();
  const end = (pool: ScriptPool): void => {
    retired.delete(pool);
    pool.close().catch(onError);
  };
  return {
    run: (call) =>
      current?.run(call) ?? Promise.reject(new AppError("SCRIPT_FAILED", { detail: `${call.script} is not loaded` })),
    inFlight: () => current?.load().inFlight ?? 0,
    swap: (next) => {
      const old = current;
      current = next;
      if (old !== undefined) retired.set(old, setTimeout(() => end(old), lingerMs).unref());
    },
    close: async () => {
      for (const timer of retired.values()) clearTimeout(timer);
      await Promise.all([...retired.keys(), ...(current === undefined ? [] : [current])].map((pool) => pool.close()));
      retired.clear();
    },
  };
}
