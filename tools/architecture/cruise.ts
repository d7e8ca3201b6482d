import { existsSync } from "node:fs";
import { join } from "node:path";
import { cruise } from "dependency-cruiser";
import extractDepcruiseOptions from "dependency-cruiser/config-utl/extract-depcruise-options";
import { visitUsing } from "./visit-using.ts";

export interface Violation {
  readonly rule: string;
  readonly from: string;
  readonly to: string;
}

export interface CruiseOutcome {
  /** Modules of our own that were read; a check that read nothing has proved nothing. */
  readonly modules: number;
  readonly violations: readonly Violation[];
}

const folders = ["services", "libs", "tools", "test", "bench"];
const ours = /^(services|libs|tools|test|bench)\//u;

/** Checks the imports of every TypeScript file under `root` against the rules of `configuration`. */
export async function cruiseTree(root: string, configuration: string): Promise<CruiseOutcome> {
  visitUsing();
  const present = folders.filter((folder) => existsSync(join(root, folder)));
  const options = await extractDepcruiseOptions(configuration);
  const { output } = await cruise(present, { ...options, baseDir: root });
  if (typeof output === "string") throw new Error("dependency-cruiser answered with text");
  return {
    modules: output.modules.filter((module) => ours.test(module.source)).length,
    violations: output.summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
  };
}
