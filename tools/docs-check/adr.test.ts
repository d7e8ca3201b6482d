import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const files = globSync("docs/contributing/decisions/[0-9]*.md", { cwd: root }).toSorted();
const records = files.map((path) => basename(path));
const index = read("docs/contributing/decisions/README.md");
const [topics = "", superseded = ""] = index.split("## Superseded numbers");

const sections = ["## Context", "## Decision", "## Consequences", "## Alternatives considered"];

/** Problems with a record's format. */
function faultsOf(file: string, text: string): readonly string[] {
  const [title = "", , status = ""] = text.split("\n");
  const headings = text.split("\n").filter((line) => line.startsWith("## "));
  return [
    ...(title.startsWith(`# ${file.slice(0, 4)}. `) ? [] : ["the title is not '# <number>. <decision>'"]),
    ...(/^Status: (?:Proposed|Accepted)\./u.test(status) ? [] : ["the third line is not 'Status: Accepted.'"]),
    ...(headings.join() === sections.join() ? [] : [`the sections are not ${sections.join(", ")}`]),
  ];
}

/** Numbers of records that a text refers to. */
function referencesIn(text: string): readonly string[] {
  return [...text.matchAll(/\bADR (\d{4})\b/gu)].map(([, number = ""]) => number);
}

const numbers = new Set(records.map((file) => file.slice(0, 4)));
const supersededNumbers = [...superseded.matchAll(/^\| (\d{4}) \|/gmu)].map(([, number = ""]) => number);

test("there are records to check", () => {
  expect(records.length).toBeGreaterThan(30);
});

test.each(records)("%s has the format of a decision record", (file) => {
  expect(faultsOf(file, read(`docs/contributing/decisions/${file}`))).toEqual([]);
});

test("a record in another format is reported", () => {
  expect(faultsOf("0001-a.md", "# 0002. A\n\nStatus: built.\n\n## Context\n")).toHaveLength(3);
});

test("docs/contributing/decisions/README.md lists each record once, with its title, under a topic", () => {
  const listed = [...topics.matchAll(/^- \[(\d{4})\]\(([^)]+)\) (.+)$/gmu)].map(([, number, file, title]) => ({
    number,
    file,
    title,
  }));
  const expected = records.map((file) => ({
    number: file.slice(0, 4),
    file,
    title: /^# \d{4}\. (.+)$/mu.exec(read(`docs/contributing/decisions/${file}`))?.[1],
  }));
  expect(listed.toSorted((left, right) => (left.file ?? "").localeCompare(right.file ?? ""))).toEqual(expected);
});

test("superseded numbers have no record of their own, and each included number is among them", () => {
  expect(supersededNumbers.filter((number) => numbers.has(number))).toEqual([]);
  const included = files.flatMap((path) => /^Status:.* Includes (.+)$/mu.exec(read(path))?.[1]?.match(/\d{4}/gu) ?? []);
  expect(included.filter((number) => !supersededNumbers.includes(number))).toEqual([]);
});

test("code and pages refer to records that exist", () => {
  const sources = globSync(["*.md", "{docs,k8s,libs,services,tools,bench,test}/**/*.{ts,md}"], {
    cwd: root,
    exclude: (path) => path.includes("node_modules") || path.includes("dist"),
  });
  const own = "tools/docs-check/adr.test.ts";
  const referred = sources.filter((path) => path !== own).flatMap((path) => referencesIn(read(path)));
  expect(referred.length).toBeGreaterThan(0);
  expect(referred.filter((number) => !numbers.has(number))).toEqual([]);
  expect(referencesIn("see ADR 0999")).toEqual(["0999"]);
});
