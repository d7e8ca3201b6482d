import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { PlanResult, Review } from "./results.ts";

const file = fileURLToPath(new URL("results.json", import.meta.url));

export function writeResults(path: string, plans: readonly PlanResult[]): void {
  writeFileSync(path, `${JSON.stringify({ plans }, null, 2)}\n`);
}

/** The results that the documentation shows. */
export function readRecorded(): readonly PlanResult[] {
  return Object(JSON.parse(readFileSync(file, "utf8"))).plans;
}

/** What was seen on the pictures of recorded runs. */
export function readReviews(): readonly Review[] {
  return JSON.parse(readFileSync(fileURLToPath(new URL("reviews.json", import.meta.url)), "utf8"));
}

/** Replaces the results of the plans that ran and keeps the others, in the order of `names`. */
export function record(results: readonly PlanResult[], names: readonly string[]): void {
  const ended = new Map([...readRecorded(), ...results].map((plan) => [plan.plan, plan]));
  writeResults(
    file,
    names.flatMap((name) => ended.get(name) ?? []),
  );
}
