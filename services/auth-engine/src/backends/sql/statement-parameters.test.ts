import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findStatementParameters } from "./placeholders.ts";

describe("findStatementParameters", () => {
  it.each([
    ["SELECT a FROM u WHERE n = :username OR m=:username AND d=:domain", [":username", ":domain"]],
    ["SELECT ':no', \":no\", `:no`, [:no], 'it''s :no' FROM u -- :no\n WHERE /* :no\n */ n=:yes", [":yes"]],
    ["SELECT n::text FROM u WHERE n = ? AND m = ?2 AND o = @p AND q = $r", ["?", "?2", "@p", "$r"]],
    ["SELECT 1 /* open :no", []],
    ["SELECT a$b FROM u WHERE n=:username", [":username"]],
    ["", []],
  ])("finds the parameters that a database would bind in %s", (statement, parameters) => {
    expect(findStatementParameters(statement)).toEqual(parameters);
  });

  it("finds no parameter in quoted text, whatever it contains", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(findStatementParameters(`SELECT '${text.replaceAll("'", "''")}'`)).toEqual([]);
        expect(findStatementParameters(`SELECT "${text.replaceAll('"', '""')}"`)).toEqual([]);
      }),
    );
  });

  it("terminates for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 500 }), (text) => {
        expect(Array.isArray(findStatementParameters(text))).toBe(true);
      }),
    );
  });
});
