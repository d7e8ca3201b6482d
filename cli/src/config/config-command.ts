import type { CommandResult, Surroundings } from "../command.ts";

export interface ConfigCommandOptions {
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
  readonly environment: Surroundings["environment"];
}

export type ConfigCommand = (options: ConfigCommandOptions) => CommandResult | Promise<CommandResult>;
