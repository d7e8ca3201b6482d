import type { ConfigCommand } from "./config-command.ts";
import { generatedConfigFiles } from "./reference/generated-files.ts";

/** Prints all pages of the configuration reference. */
export const docsCommand: ConfigCommand = () => {
  const pages = [...generatedConfigFiles()].filter(([path]) => path.endsWith(".md"));
  return { exitCode: 0, output: pages.map(([, text]) => text), errors: [] };
};
