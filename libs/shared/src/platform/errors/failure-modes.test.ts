import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { errorCodes } from "./codes.ts";

const page = readFileSync(join(import.meta.dirname, "../../../../../docs/operate/failure-modes.md"), "utf8");

/** Code, facts and paragraph of each section. */
const sections = page
  .split(/^## /mu)
  .slice(1)
  .map((section) => section.trim().split(/\n{2,}/u));

test("docs/operate/failure-modes.md lists the codes of the table, in order, with their facts", () => {
  const written = sections.map(([code, facts]) => [code, facts]);
  const table = Object.entries(errorCodes).map(([code, { kind, httpStatus, logLevel }]) => [
    code,
    `${kind} · HTTP ${httpStatus} · logged as ${logLevel}`,
  ]);
  expect(written).toEqual(table);
});

test.each(Object.keys(errorCodes))(
  "%s has one paragraph with what callers see, what to check and the metric",
  (code) => {
    const [, , ...paragraphs] = sections.find(([name]) => name === code) ?? [];
    expect(paragraphs).toHaveLength(1);
    for (const label of ["**Caller:**", "**Check:**", "**Metric:**"]) expect(paragraphs[0]).toContain(label);
  },
);
