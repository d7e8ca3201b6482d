import type { Api } from "./api.ts";

/** 0 success, 1 a negative answer or a rejected request, 2 a wrong command line, 3 the site is unreachable. */
export type ExitCode = 0 | 1 | 2 | 3;

export interface OperatorResult {
  readonly exitCode: ExitCode;
  readonly output: readonly string[];
  readonly errors: readonly string[];
}

export interface CommandFlags {
  readonly json: boolean;
  readonly async: boolean;
  readonly rule: string | undefined;
  readonly protocol: string | undefined;
  readonly client: string | undefined;
  readonly kill: string | undefined;
}

export interface CommandContext {
  readonly api: Api;
  readonly operands: readonly string[];
  readonly flags: CommandFlags;
  /** Reports progress. */
  readonly progress: (line: string) => void;
}

/** The output, as a table and as JSON. */
export interface Shown {
  readonly exitCode?: ExitCode;
  readonly lines: readonly string[];
  readonly json: unknown;
}

export interface OperatorCommand {
  readonly usage: string;
  readonly summary: string;
  /** Description for `--help`. */
  readonly help: readonly string[];
  readonly operands: { readonly min: number; readonly max: number };
  readonly run: (context: CommandContext) => Promise<Shown>;
}
