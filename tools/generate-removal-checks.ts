import { readFileSync } from "node:fs";
import { join } from "node:path";
import { exceptions, unchecked } from "../test/removals/exceptions.ts";
import { removals } from "../test/removals/removals.ts";
import { promisedRows } from "./removals/promised-rows.ts";
import type { Removal, RemovalResult } from "./removals/removal.ts";
import { generate } from "./write-or-check.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const results: Readonly<Record<string, RemovalResult>> = JSON.parse(read("test/removals/results.json"));
const rows = promisedRows(read("docs/contributing/promises.md").split("\n## The tests can fail\n")[0] ?? "");
const covered = rows.filter(({ row }) => removals.some((one) => one.rows.some((part) => row.includes(part))));

const outcomes: Readonly<Record<RemovalResult["outcome"], string>> = {
  failed: "failed",
  survived: "**passed: the test does not prove this**",
  broken: "**did not run**",
};

/** As code: it quotes what a test said, to which the rules of prose do not apply. */
function quoted(text: string): string {
  const shown = text.replaceAll("|", "\\|").replaceAll("`", "'").trim();
  return shown === "" ? "" : `: \`${shown}\``;
}

function outcomeOf({ name }: Removal): string {
  const result = results[name];
  if (result === undefined) return "not run yet";
  const { date, outcome, failedTests, how } = result;
  const tests = failedTests === 1 ? "1 test" : `${failedTests} tests`;
  return outcome === "failed" ? `${date}: ${tests} failed${quoted(how)}` : `${date}: ${outcomes[outcome]}`;
}

function line(removal: Removal): string {
  const { name, mechanism, file, tests } = removal;
  const named = tests.map((path) => `\`${path}\``).join(", ");
  return `| ${name} | ${mechanism} | \`${file}\` | ${named} | ${outcomeOf(removal)} |`;
}

function fullRow(part: string): string {
  return rows.find((one) => one.row.includes(part))?.row ?? part;
}

const open =
  unchecked.length === 0
    ? ""
    : `
No removal has been written yet for these:

${unchecked.map((part) => `- ${fullRow(part)}`).join("\n")}
`;

const page = `<!-- Made from test/removals by tools/generate-removal-checks.ts; do not edit. -->

# Tests that fail without their mechanism

A test proves a [guarantee](promises.md) only if it fails when the mechanism behind the guarantee is missing. \`make removals\` takes each
mechanism below out of a copy of the source, one at a time, and runs the tests, for which the services are bundled again.
\`make removals NAMES="peer-clocks late-503"\` does so for some, and stores the outcome in \`test/removals/results.json\`. For developers, and
for operators who assess the product.

Of ${rows.length} guarantees, ${covered.length} have a removal${unchecked.length === 0 ? "" : `, ${unchecked.length} have none yet`}, and ${exceptions.length} cannot have one.

| Name | Mechanism taken out | File | Tests | Last run |
|---|---|---|---|---|
${removals.map(line).join("\n")}

## Guarantees without a removal

| Guarantee | Reason |
|---|---|
${exceptions.map(({ row, reason }) => `| ${fullRow(row)} | ${reason} |`).join("\n")}
${open}`;

generate(new Map([["docs/contributing/removal-checks.md", page]]));
