import { readFileSync } from "node:fs";
import { scriptChecks } from "@postern/shared/domain/scripts";
import { type Config, httpPoolsOf } from "@postern/shared/platform/config";
import { commonChecks, type Preflight, type PreflightCheck, poolTlsCheck } from "@postern/shared/platform/preflight";
import { ldapChecks } from "./backends/ldap/preflight.ts";
import { sqlChecks } from "./backends/sql/preflight.ts";
import { catalogueOf } from "./policy/policy-settings.ts";
import { keyedActionScripts, keyedDecisionScripts } from "./scripts/script-settings.ts";

/** Checks the certificates of the servers in use. */
function httpChecks({ auth }: Config): readonly PreflightCheck[] {
  return httpPoolsOf(auth.backends).flatMap(({ path, pool }) => poolTlsCheck(path, pool));
}

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
