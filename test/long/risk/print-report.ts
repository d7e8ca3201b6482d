import { parseArgs } from "node:util";
import { riskSettings } from "@postern/shared/domain/risk";
import { loadConfig } from "@postern/shared/platform/config";
import { tuning, validation } from "./parameters.ts";
import { report } from "./report.ts";
import { simulate } from "./simulate.ts";

/** Prints the tables for each seed. `--config "auth: {risk: {...}}"` tries other settings. */
const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "5000" },
    seeds: { type: "string", default: "101" },
    parameters: { type: "string", default: validation.name },
    config: { type: "string", default: "" },
    leaked: { type: "boolean", default: false },
  },
});
const loaded = loadConfig({ text: values.config, env: {}, readFile: () => "" });
if (!loaded.ok) throw new Error("the configuration is invalid");
const settings = { ...riskSettings(loaded.config.auth.risk), mode: "enforce" as const };
const parameters = values.parameters === tuning.name ? tuning : validation;
for (const seed of values.seeds.split(",").map(Number)) {
  const run = { seed, accounts: Number(values.accounts), parameters, settings, comparesPasswords: values.leaked };
  process.stdout.write(`${report(simulate(run))}\n\n`);
}
