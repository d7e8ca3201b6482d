import type { Api } from "./api.ts";

/** 0 well, 1 the answer is no or the interface refused, 2 the command line is wrong, 3 it cannot be reached. */
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
  /** Shows how far it is, while it goes on. */
  readonly progress: (line: string) => void;
}

/** What is printed: the same as a table and as JSON. */
export interface Shown {
  readonly exitCode?: ExitCode;
  readonly lines: readonly string[];
  readonly json: unknown;
}

export interface OperatorCommand {
  readonly usage: string;
  readonly summary: string;
  /** What an operator wants to know before typing it. */
  readonly help: readonly string[];
  readonly operands: { readonly least: number; readonly most: number };
  readonly run: (context: CommandContext) => Promise<Shown>;
}
