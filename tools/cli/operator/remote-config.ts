import { stringify } from "yaml";
import { readConfig } from "./answers.ts";
import type { OperatorCommand } from "./command.ts";

export const remoteConfigCommand: OperatorCommand = {
  usage: "config load",
  summary: "show the configuration that is in effect over there",
  help: [
    "Asks the running administration service, where `config dump` reads a file of this machine. Secrets are replaced.",
    "As YAML; --json gives JSON.",
  ],
  operands: { least: 1, most: 1 },
  run: async ({ api }) => {
    const configuration: unknown = JSON.parse(readConfig(await api.ask("GET", "/api/v1/config/load")).result);
    return { lines: stringify(configuration).trimEnd().split("\n"), json: configuration };
  },
};
