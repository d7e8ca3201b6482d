import { formatProblem } from "@postern/shared/platform/config";
import { dumpConfig } from "../config-keys/dump.ts";
import { type ConfigCommand, loadForCommand } from "./config-command.ts";

/** Prints the effective configuration without secrets. */
export const dumpCommand: ConfigCommand = (options) => {
  const result = loadForCommand(options);
  if (!result.ok) return { exitCode: 1, output: [], errors: result.problems.map(formatProblem) };
  return { exitCode: 0, output: dumpConfig(result.config), errors: [] };
};
