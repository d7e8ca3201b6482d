import { stringify } from "yaml";
import { readConfig } from "./answers.ts";
import type { OperatorCommand } from "./operator-command.ts";

export const remoteConfigCommand: OperatorCommand = {
  usage: "config load",
  summary: "print the effective configuration of the running site",
  help: [
    "Reads the configuration of the running admin service; `postern config dump` reads a local file. Secrets are masked.",
    "Prints YAML, or JSON with --json.",
  ],
  operands: { min: 1, max: 1 },
  actions: ["load"],
  run: async ({ api }) => {
    const configuration: unknown = JSON.parse(readConfig(await api.ask("loadConfiguration")).result);
    return { lines: stringify(configuration).trimEnd().split("\n"), json: configuration };
  },
};
