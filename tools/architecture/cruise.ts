import { existsSync } from "node:fs";
import { join } from "node:path";
import { cruise, type ICruiseOptions, type ICruiseResult } from "dependency-cruiser";
import extractDepcruiseOptions from "dependency-cruiser/config-utl/extract-depcruise-options";
import { visitUsing } from "./visit-using.ts";

export interface Violation {
  readonly rule: string;
  readonly from: string;
  readonly to: string;
}

export interface CruiseOutcome {
  /** Number of own modules that were read; a check that read nothing proves nothing. */
  readonly modules: number;
  readonly violations: readonly Violation[];
}

const folders = ["services", "libs", "cli", "tools", "test", "bench"];
/** Test parts, which may import everything that they test, and build output. */
const notShipped = String.raw`\.test\.ts$|^(test|tools|bench)/|/src/testing/|^(services|libs)/[^/]+/dist/`;
const ours = /^(services|libs|cli|tools|test|bench)\//u;

function isAboutFolders(rule: object): boolean {
  return "scope" in rule && rule.scope === "folder";
}

/** Runs one cruise with part of the configuration's rules. */
async function runCruise(present: readonly string[], options: ICruiseOptions): Promise<ICruiseResult> {
  const { output } = await cruise([...present], options);
  if (typeof output === "string") throw new Error("dependency-cruiser returned text instead of a result");
  return output;
}

/**
 * Checks the imports of every TypeScript file under `root` against the rules of `configuration`. A rule about folders
 * cannot exclude files, so a second cruise, which reads no tests, checks these rules.
 */
export async function cruiseTree(root: string, configuration: string): Promise<CruiseOutcome> {
  visitUsing();
  const present = folders.filter((folder) => existsSync(join(root, folder)));
  const options = { ...(await extractDepcruiseOptions(configuration)), baseDir: root };
  const rules = options.ruleSet?.forbidden ?? [];
  const files = await runCruise(present, {
    ...options,
    ruleSet: { forbidden: rules.filter((rule) => !isAboutFolders(rule)) },
  });
  const shipped = await runCruise(present, {
    ...options,
    exclude: { path: notShipped },
    ruleSet: { forbidden: rules.filter(isAboutFolders) },
  });
  const violations = [...files.summary.violations, ...shipped.summary.violations];
  return {
    modules: files.modules.filter((module) => ours.test(module.source)).length,
    violations: violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
  };
}
