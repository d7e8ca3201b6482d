import type { CommandResult } from "../command.ts";
import type { Api } from "./api.ts";
import type { OwnOption } from "./options.ts";
import type { Screen } from "./screen.ts";

export interface CommandFlags {
  readonly json: boolean;
  readonly async: boolean;
  readonly rule: string | undefined;
  readonly protocol: string | undefined;
  readonly client: string | undefined;
  readonly kill: string | undefined;
  readonly limit: string | undefined;
  readonly factor: string | undefined;
  readonly for: string | undefined;
  readonly reason: string | undefined;
  readonly kind: string | undefined;
  readonly account: string | undefined;
  readonly network: string | undefined;
  readonly outcome: string | undefined;
  readonly once: boolean;
  readonly domain: string | undefined;
  readonly event: string | undefined;
  readonly file: string | undefined;
}

export interface CommandContext {
  readonly api: Api;
  readonly operands: readonly string[];
  readonly flags: CommandFlags;
  /** Reports progress. */
  readonly progress: (line: string) => void;
  /** For commands that go on; others return what is shown. */
  readonly screen: Screen;
}

/** The output, as a table and as JSON. */
export interface Shown {
  readonly exitCode?: CommandResult["exitCode"];
  /** The command has written its output itself. */
  readonly isShown?: true;
  readonly lines: readonly string[];
  readonly json: unknown;
}

export interface OperatorCommand {
  readonly usage: string;
  readonly summary: string;
  /** Description for `--help`. */
  readonly help: readonly string[];
  readonly operands: { readonly min: number; readonly max: number };
  /** Second words. */
  readonly actions?: readonly string[];
  /** Options in addition to those of every command. */
  readonly options?: readonly OwnOption[];
  readonly run: (context: CommandContext) => Promise<Shown>;
}
