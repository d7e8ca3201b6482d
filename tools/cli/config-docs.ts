import { generatedConfigFiles } from "@postern/shared/config";
import type { ConfigCommand } from "./config-command.ts";

/** Prints the configuration reference, all pages in a row. */
export const docsCommand: ConfigCommand = () => {
  const pages = [...generatedConfigFiles()].filter(([path]) => path.endsWith(".md"));
  return { exitCode: 0, output: pages.map(([, text]) => text), errors: [] };
};
