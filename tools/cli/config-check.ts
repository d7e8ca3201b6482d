import { formatProblem } from "@postern/shared/config";
import { type ConfigCommand, loadForCommand } from "./config-command.ts";

/** Tells all problems of the configuration at once. */
export const checkCommand: ConfigCommand = (options) => {
  const result = loadForCommand(options);
  const warnings = result.warnings.map((warning) => `warning: ${formatProblem(warning)}`);
  if (result.ok) return { exitCode: 0, output: ["configuration is good"], errors: warnings };
  const problems = result.problems.map(formatProblem);
  return { exitCode: 1, output: [], errors: [...warnings, "configuration problems:", ...problems] };
};
