import { expect, test } from "vitest";
import type { RecordedTarget } from "../../bench/report/record.ts";
import { faultsOf, parseExplanations, targetsPage } from "./page.ts";

function target(title: string, met: boolean): RecordedTarget {
  return { title, target: "≤ 1 ×", measured: "2 ×", met, date: "2026-01-01", otherCores: 0 };
}

const machine = { cores: 2, model: "any", node: "v26" };
const targets = [target("a", false), target("b", true), target("c", true)];
const explanations = parseExplanations("# Heading\n\n## a\n## b\n\nBecause.\n\n## c\n\nOtherwise.\n");

test("several targets share the paragraph below them", () => {
  expect(explanations).toEqual([
    { titles: ["a", "b"], text: "Because." },
    { titles: ["c"], text: "Otherwise." },
  ]);
});

test("the page explains missed targets only", () => {
  const [, missed] = targetsPage({ machine, targets, rows: [], features: [] }, explanations).split("## Missed targets");
  expect(missed).toContain("**a (2 ×, target ≤ 1 ×).** Because.");
  expect(missed).not.toContain("b (");
  expect(missed).not.toContain("Otherwise.");
});

test("a missed target needs an explanation", () => {
  expect(faultsOf(targets, explanations)).toEqual([]);
  expect(faultsOf([...targets, target("d", false)], explanations)).toEqual(['"d" is missed and not explained']);
});

test.each([
  ["of no target", "## e\n\nText.\n", 'no target is called "e"'],
  ["given twice", "## a\n\nText.\n\n## a\n\nText.\n", '"a" is twice'],
  ["without a text", "## a\n", '"a" has no text'],
])("an explanation %s is a fault", (_, text, fault) => {
  expect(faultsOf(targets, parseExplanations(text))).toContain(fault);
});
