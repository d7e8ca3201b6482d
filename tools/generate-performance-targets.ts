import { readFileSync } from "node:fs";
import { readRecorded } from "../bench/report/record.ts";
import { targetsPage } from "./performance-targets/page.ts";
import { withSizing } from "./performance-targets/sizing.ts";
import { generate } from "./write-or-check.ts";

const recorded = readRecorded();
const capacity = "docs/operate/capacity.md";
generate(
  new Map([
    ["docs/contributing/performance-targets.md", targetsPage(recorded)],
    [capacity, withSizing(readFileSync(capacity, "utf8"), recorded)],
  ]),
);
