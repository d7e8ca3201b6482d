import * as fc from "fast-check";
import { expect, test } from "vitest";
import { expandText, expandTree } from "./expand.ts";

function expand(text: string, variables: Readonly<Record<string, string>>) {
  const problems: string[] = [];
  const variable = (name: string) => (Object.hasOwn(variables, name) ? variables[name] : undefined);
  const problem = (path: string, reason: string) => void problems.push(`${path}: ${reason}`);
  return { text: expandText(text, ["a", 0], { variable, problem }), problems };
}

test("a variable is replaced wherever it occurs", () => {
  expect(expand("${A}-${B}${A}", { A: "1", B: "2" })).toEqual({ text: "1-21", problems: [] });
});

test("$${ is a literal ${", () => {
  expect(expand("$${A}", { A: "1" })).toEqual({ text: "${A}", problems: [] });
});

test("a missing variable is a problem at its path", () => {
  expect(expand("${A}", {}).problems).toEqual(["a[0]: refers to the environment variable A, which is not set"]);
});

test("an expanded value is not expanded again", () => {
  expect(expand("${A}", { A: "${B}$&", B: "x" }).text).toBe("${B}$&");
});

test("a text without ${ is unchanged", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!text.includes("${"));
      expect(expand(text, {})).toEqual({ text, problems: [] });
    }),
  );
});

test("escaping preserves any text", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!text.includes("$$"));
      expect(
        expand(
          text.replaceAll("${", () => "$${"),
          {},
        ),
      ).toEqual({ text, problems: [] });
    }),
  );
});

test("texts in lists and sections are expanded, keys are not", () => {
  const expansion = { variable: () => "v", problem: () => undefined };
  expect(expandTree({ "${K}": ["${A}", 1, null, { b: "${B}" }] }, [], expansion)).toEqual({
    "${K}": ["v", 1, null, { b: "v" }],
  });
});
