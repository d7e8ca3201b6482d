import { type LoadResult, loadConfig, processSources } from "@postern/shared/config";

/** What a command printed and how it ended: 0 well, 1 the configuration is wrong, 2 the command line is. */
export interface CommandResult {
  readonly exitCode: 0 | 1 | 2;
  readonly output: readonly string[];
  readonly errors: readonly string[];
}

export interface CommandOptions {
  readonly file: string | undefined;
  readonly skipSecretFiles: boolean;
  readonly operands: readonly string[];
}

export type ConfigCommand = (options: CommandOptions) => CommandResult;

/** Loads as a service would, from this process's environment. */
export function loadForCommand({ file, skipSecretFiles }: Omit<CommandOptions, "operands">): LoadResult {
  const sources = processSources();
  return loadConfig({ ...sources, file: file ?? sources.file, skipSecretFiles });
}
