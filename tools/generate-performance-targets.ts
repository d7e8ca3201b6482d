import { readFileSync } from "node:fs";
import { readRecorded } from "../bench/report/record.ts";
import { faultsOf, parseExplanations, targetsPage } from "./performance-targets/page.ts";
import { withSizing } from "./performance-targets/sizing.ts";
import { generate } from "./write-or-check.ts";

const source = "bench/recorded/explanations.md";
const explanations = parseExplanations(readFileSync(source, "utf8"));
const recorded = readRecorded();
const capacity = "docs/operate/capacity.md";
generate(
  new Map([
    ["docs/contributing/performance-targets.md", targetsPage(recorded, explanations)],
    [capacity, withSizing(readFileSync(capacity, "utf8"), recorded)],
  ]),
);
for (const fault of faultsOf(recorded.targets, explanations)) {
  console.error(`${source}: ${fault}`);
  process.exitCode = 1;
}
