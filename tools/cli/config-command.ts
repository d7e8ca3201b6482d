import { existsSync } from "node:fs";
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

/** Where `postern init` of the Debian package writes it. */
const usualFile = "/etc/postern/config.yaml";

/** The configuration of this machine's site: the one that is named, of the environment, or at the usual place. */
export function siteFile(named: string | undefined): string | undefined {
  return named ?? processSources().file ?? (existsSync(usualFile) ? usualFile : undefined);
}

/** Loads the configuration as a service would, with the environment of this process. */
export function loadForCommand({
  file,
  skipSecretFiles,
}: Pick<CommandOptions, "file" | "skipSecretFiles">): LoadResult {
  return loadConfig({ ...processSources(), file: siteFile(file), skipSecretFiles });
}
