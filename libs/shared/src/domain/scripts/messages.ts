import type { LuaValue } from "./lua-value.ts";

/** A script to run; `name` identifies it in errors and logs, usually its path. */
export interface ScriptSource {
  readonly name: string;
  readonly source: string;
  /** Global functions that it must define. */
  readonly entryPoints: readonly string[];
}

/** The scripts and the files that they use. */
export interface ScriptSet {
  readonly scripts: readonly ScriptSource[];
  /** Files for `require`, by name. */
  readonly libraries: Readonly<Record<string, string>>;
  /** Texts of the i18n module: language → key → text. */
  readonly texts: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** What a worker starts with. */
export interface WorkerStart extends ScriptSet {
  readonly memoryLimitBytes: number;
  readonly cpuLimitMs: number;
  /** Int32s: `progressField`. */
  readonly progress: SharedArrayBuffer;
}

/** Fields of `WorkerStart.progress`: the call whose turn runs now, and the number of that turn (0: none). */
export const progressField = Object.freeze({ call: 0, turn: 1 });

export type FailureKind = "error" | "cpu" | "memory";

export type ToWorker =
  | {
      readonly type: "call";
      /** Increases by one with each call of this worker. */
      readonly sequence: number;
      readonly script: string;
      readonly entry: string;
      readonly args: readonly LuaValue[];
      readonly isOptional: boolean;
      readonly session: string | undefined;
    }
  | { readonly type: "answer"; readonly sequence: number; readonly ok: boolean; readonly value: LuaValue }
  | { readonly type: "cancel"; readonly sequence: number };

export interface ScriptLogLine {
  readonly script: string;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: LuaValue;
  readonly session: string | undefined;
}

export type FromWorker =
  | { readonly type: "ready" }
  | { readonly type: "invalid"; readonly problems: readonly string[] }
  | { readonly type: "done"; readonly sequence: number; readonly value: LuaValue }
  | { readonly type: "failed"; readonly sequence: number; readonly kind: FailureKind; readonly message: string }
  | {
      readonly type: "host";
      readonly sequence: number;
      readonly name: string;
      readonly args: readonly LuaValue[];
    }
  | ({ readonly type: "log" } & ScriptLogLine)
  | { readonly type: "count"; readonly script: string; readonly name: string; readonly by: number }
  /** Its memory has reached the limit and cannot be released: another worker should replace it. */
  | { readonly type: "worn" };

/** One run of a script's function. */
export interface ScriptCall {
  readonly script: string;
  readonly entry: string;
  readonly args: readonly LuaValue[];
  /** A script without the function returns nothing. */
  readonly isOptional?: boolean | undefined;
  /** Time of `steadyClock`; waiting for modules counts. */
  readonly deadline: number;
  /** For the script's log lines. */
  readonly session?: string | undefined;
}

export interface HostCallContext {
  readonly script: string;
  readonly deadline: number;
  readonly signal: AbortSignal;
}

/** Runs a module's function. What it throws becomes an error in the script, with the message of an `Error`. */
export type ScriptHost = (name: string, args: readonly LuaValue[], context: HostCallContext) => Promise<LuaValue>;

/** What scripts call outside of their worker. */
export interface ScriptSurroundings {
  readonly host: ScriptHost;
  readonly onLog: (line: ScriptLogLine) => void;
  readonly onCount: (script: string, name: string, by: number) => void;
}
