import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { RunResult } from "./results.ts";

const file = fileURLToPath(new URL("results.json", import.meta.url));

export function writeResult(path: string, result: RunResult): void {
  writeFileSync(path, `${JSON.stringify(result, null, 2)}\n`);
}

/** The run that the documentation shows. */
export function readRecorded(): RunResult {
  return Object(JSON.parse(readFileSync(file, "utf8")));
}

/** Replaces the results of the plans that ran and keeps the others, in the order of `names`. */
export function record(result: RunResult, names: readonly string[]): void {
  const ended = new Map([...readRecorded().plans, ...result.plans].map((plan) => [plan.plan, plan]));
  writeResult(file, { ...result, plans: names.flatMap((name) => ended.get(name) ?? []) });
}
