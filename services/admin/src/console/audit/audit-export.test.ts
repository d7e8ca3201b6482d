import fc from "fast-check";
import { expect, test } from "vitest";
import { csvCell, exportFormats } from "./audit-export.ts";

const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .tuple(fc.constantFrom("=", "+", "-", "@", "\t", "\r", '"', ",", "\n", "'"), fc.string())
    .map(([begin, rest]) => begin + rest),
);

/** Reads RFC 4180, as a spreadsheet does. */
function rowsOf(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/gy;
  for (let match = field.exec(text); match !== null && match[0] !== ""; match = field.exec(text)) {
    const [, quoted, plain = "", end] = match;
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === "\r\n") rows.push([]);
  }
  return rows;
}

test("no cell begins a formula, whatever a record contains", () => {
  fc.assert(
    fc.property(hostile, (value) => {
      const [[cell = ""] = []] = rowsOf(`${csvCell(value)}\r\n`);
      expect(cell).not.toMatch(/^[=+\-@\t\r]/u);
      expect(cell.replaceAll("'", "")).toBe(value.replaceAll("'", ""));
    }),
  );
});

test("no cell begins a formula where a spreadsheet separates cells by semicolons, tabs or bars", () => {
  const parts = fc.constantFrom("=", "+", "-", "@", "\uff1d", ";", "|", "\t", "\n", '"', " ", "a", ",", "'");
  fc.assert(
    fc.property(
      fc.array(parts).map((list) => list.join("")),
      (value) => {
        for (const cell of `x,${csvCell(value)}`.split(/[;|\t\r\n]/u).slice(1)) {
          expect(cell).not.toMatch(/^["\s]*[=+\-@\uff1d]/u);
        }
      },
    ),
    { examples: [["ticket 7;=HYPERLINK(1)"], [';"=1"'], ["a\t@b"], ["; =1"]] },
  );
});

test("a record is one row with every column, whatever it contains", () => {
  const { head, line } = exportFormats.csv;
  const [names = []] = rowsOf(head);
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names, "unknown"), hostile), (entry) => {
      const rows = rowsOf(line(entry));
      expect(rows).toHaveLength(2);
      expect(rows[0]).toHaveLength(names.length);
    }),
  );
});

test("JSON lines are one record each", () => {
  const { line } = exportFormats.jsonl;
  fc.assert(
    fc.property(fc.dictionary(fc.string(), hostile, { noNullPrototype: true }), (entry) => {
      const text = line(entry);
      expect(text.indexOf("\n")).toBe(text.length - 1);
      expect(JSON.parse(text)).toEqual(entry);
    }),
  );
});
