import { readFileSync } from "node:fs";
import { scriptChecks } from "@postern/shared/domain/scripts";
import type { Config } from "@postern/shared/platform/config";
import { commonChecks, type Preflight, type PreflightCheck } from "@postern/shared/platform/preflight";
import { httpChecks } from "./backends/http/preflight.ts";
import { ldapChecks } from "./backends/ldap/preflight.ts";
import { sqlChecks } from "./backends/sql/preflight.ts";
import { catalogueOf } from "./policy/policy-settings.ts";
import { keyedActionScripts, keyedDecisionScripts } from "./scripts/script-settings.ts";

function catalogueChecks({ auth }: Config): readonly PreflightCheck[] {
  return auth.policy.localization.catalogs.map((catalogue, index) => {
    const path = `auth.policy.localization.catalogs[${index}]`;
    return { path: `${path}.file`, run: () => catalogueOf(catalogue, path, (file) => readFileSync(file, "utf8")) };
  });
}

/** Checks what an engine opens and compiles from its configuration. */
export const preflight: Preflight = (config) => [
  ...commonChecks(config),
  ...ldapChecks(config),
  ...httpChecks(config),
  ...sqlChecks(config),
  ...catalogueChecks(config),
  ...scriptChecks(config, [...keyedDecisionScripts(config), ...keyedActionScripts(config)]),
];
