import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { exceptions } from "../test/removals/exceptions.ts";
import { removals } from "../test/removals/removals.ts";
import { type Guarantee, guaranteesOf, sections } from "./removals/guarantees.ts";
import type { RemovalResult } from "./removals/removal.ts";
import { generate } from "./write-or-check.ts";

const root = join(import.meta.dirname, "..");
const results: Readonly<Record<string, RemovalResult>> = JSON.parse(
  readFileSync(join(root, "test/removals/results.json"), "utf8"),
);
const mark = "<!-- Made from test/guarantees.yaml by tools/generate-guarantees.ts; do not edit. -->";

const outcomes: Readonly<Record<RemovalResult["outcome"], string>> = {
  failed: "",
  survived: " **passed without it**",
  broken: " **did not run**",
};

function removedBy({ row }: Guarantee): string {
  const reason = exceptions.find((exception) => row.includes(exception.row))?.reason;
  const named = removals
    .filter(({ rows }) => rows.some((part) => row.includes(part)))
    .map(({ name }) => {
      const result = results[name];
      return `${name} (${result === undefined ? "not run yet" : `${result.date}${outcomes[result.outcome]}`})`;
    });
  return reason ?? named.join(", ");
}

function marked(path: string): string {
  if (!existsSync(join(root, path))) throw new Error(`test/guarantees.yaml: ${path} does not exist`);
  return `\`${path}\``;
}

function forOperators({ title, subject, rows }: (typeof sections)[number]): string {
  const hasEvents = rows.some(({ event }) => event !== undefined);
  const head = hasEvents ? `| ${subject ?? "Event"} | Guarantee |\n|---|---|` : "| Guarantee |\n|---|";
  const lines = rows.map(({ event, guarantee }) => `| ${hasEvents ? `${event} | ` : ""}${guarantee} |`);
  return `## ${title}\n\n${head}\n${lines.join("\n")}\n`;
}

function forDevelopers(section: (typeof sections)[number]): string {
  return guaranteesOf(section)
    .map(
      (one) =>
        `| ${section.title} | ${one.row.replaceAll("](", "](../operate/")} | ${one.tests.map(marked).join(", ")} | ${removedBy(one)} |`,
    )
    .join("\n");
}

const guarantees = `${mark}

# Guarantees

What Postern guarantees when components fail, configurations change or load exceeds the limits. For operators who plan a site.
[What happens when a component fails](outages.md) describes the behaviour; [error codes](failure-modes.md) explains each code. In every case,
a correct password is never reported as a wrong one.

${sections
  .filter(({ internal }) => internal !== true)
  .map(forOperators)
  .join("\n")}`;

const tests = `${mark}

# Tests of the guarantees

The tests that prove each [guarantee](../operate/guarantees.md), and those of set-ups and guides. They start real servers and kill, stop or
replace them.

A test proves a guarantee only if it fails without the mechanism behind it. \`make removals\` takes each mechanism of \`test/removals\` out of a
copy of the source, one at a time, and runs the tests; \`make removals NAMES="peer-clocks late-503"\` does so for some. The last column names the
mechanisms with the day on which the tests last failed without them, or the reason why a guarantee has none. \`test/removals/results.json\` has
the messages.

| Area | Guarantee | Tests | Fails without |
|---|---|---|---|
${sections.map(forDevelopers).join("\n")}
`;

generate(
  new Map([
    ["docs/operate/guarantees.md", guarantees],
    ["docs/contributing/guarantee-tests.md", tests],
  ]),
);
