import type { LuaValue } from "./lua-value.ts";

/** One run of a script's function. */
export interface ScriptCall {
  readonly script: string;
  readonly entry: string;
  readonly args: readonly LuaValue[];
  /** A script without the function returns nothing. */
  readonly isOptional?: boolean | undefined;
  /** Time of `steadyClock`; waiting for modules counts. */
  readonly deadline: number;
  /** The script's log lines carry it. */
  readonly session?: string | undefined;
}

export interface HostCallContext {
  readonly script: string;
  readonly deadline: number;
  readonly signal: AbortSignal;
}

/** Runs a module's function. What it throws becomes an error in the script, with the message of an `Error`. */
export type ScriptHost = (name: string, args: readonly LuaValue[], context: HostCallContext) => Promise<LuaValue>;
