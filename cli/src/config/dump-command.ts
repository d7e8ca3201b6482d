import { formatProblem } from "@postern/shared/platform/config";
import { loadForCommand } from "../command.ts";
import type { ConfigCommand } from "./config-command.ts";
import { dumpConfig } from "./dump.ts";

/** Prints the effective configuration without secrets. */
export const dumpCommand: ConfigCommand = (options) => {
  const result = loadForCommand(options);
  if (!result.ok) return { exitCode: 1, output: [], errors: result.problems.map(formatProblem) };
  return { exitCode: 0, output: dumpConfig(result.config), errors: [] };
};
