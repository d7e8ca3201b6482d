import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toPositional } from "./placeholders.ts";

describe("toPositional", () => {
  it.each([
    ["postgresql", "a = :x AND b=:y AND c = :x", "a = $1 AND b=$2 AND c = $3", ["x", "y", "x"]],
    ["mysql", "a = :x AND b=:y AND c = :x", "a = ? AND b=? AND c = ?", ["x", "y", "x"]],
    [
      "postgresql",
      "':no' \":no\" E'\\':no' $$:no$$ $t$:no $$ $t$ :a::text",
      "':no' \":no\" E'\\':no' $$:no$$ $t$:no $$ $t$ $1::text",
      ["a"],
    ],
    ["postgresql", "/* :no /* :no */ :no */ :a -- :no\n:b", "/* :no /* :no */ :no */ $1 -- :no\n$2", ["a", "b"]],
    [
      "mysql",
      "'\\':no' \"\\\":no\" `:no` # :no\n:a /* :no */ -- :no\n @v:=1",
      "'\\':no' \"\\\":no\" `:no` # :no\n? /* :no */ -- :no\n @v:=1",
      ["a"],
    ],
    ["mysql", "a--:b", "a--?", ["b"]],
    ["postgresql", "/* open :no", "/* open :no", []],
  ] as const)("%s: %s", (dialect, statement, text, names) => {
    expect(toPositional(statement, dialect)).toEqual({ text, names });
  });

  it("finds no parameter in quoted text, whatever it contains", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const plain = `SELECT '${text.replaceAll("'", "''")}', "${text.replaceAll('"', '""')}"`;
        expect(toPositional(plain, "postgresql")).toEqual({ text: plain, names: [] });
        const escaped = `SELECT '${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
        expect(toPositional(escaped, "mysql")).toEqual({ text: escaped, names: [] });
      }),
    );
  });

  it("replaces each parameter in place and changes nothing else, in any text", () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(":name", "'", '"', "`", "$$", "/*", "*/", "--", "\n", "::", "\\"),
    );
    fc.assert(
      fc.property(fc.array(piece), fc.constantFrom("postgresql" as const, "mysql" as const), (pieces, dialect) => {
        const statement = pieces.join("");
        const { text, names } = toPositional(statement, dialect);
        const grown = names.reduce(
          (sum, name, index) => sum + name.length + 1 - (dialect === "mysql" ? 1 : `$${index + 1}`.length),
          0,
        );
        expect(text.length + grown).toBe(statement.length);
      }),
    );
  });
});
