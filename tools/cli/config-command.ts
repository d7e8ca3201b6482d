import { type LoadResult, loadConfig, processSources } from "@postern/shared/platform/config";

/** Output and exit code of a command: 0 success, 1 an invalid configuration, 2 a wrong command line. */
export interface CommandResult {
  readonly exitCode: 0 | 1 | 2;
  readonly output: readonly string[];
  readonly errors: readonly string[];
}

export interface CommandOptions {
  readonly file: string | undefined;
  readonly skipSecretFiles: boolean;
  /** Files that the configuration names are not opened. */
  readonly skipFiles: boolean;
  /** The services whose files are opened; all if empty. */
  readonly services: readonly string[];
  /** Warnings count as problems. */
  readonly isStrict: boolean;
  readonly isJson: boolean;
  readonly operands: readonly string[];
}

export type ConfigCommand = (options: CommandOptions) => CommandResult | Promise<CommandResult>;

/** Whether a file is named, on the command line or in the environment. */
export function namesFile({ file }: Pick<CommandOptions, "file">): boolean {
  return file !== undefined || processSources().file !== undefined;
}

/** Loads the configuration as a service would, with the environment of this process. */
export function loadForCommand({
  file,
  skipSecretFiles,
}: Pick<CommandOptions, "file" | "skipSecretFiles">): LoadResult {
  const sources = processSources();
  return loadConfig({ ...sources, file: file ?? sources.file, skipSecretFiles });
}
