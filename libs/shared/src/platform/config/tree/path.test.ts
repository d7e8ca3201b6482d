import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Root } from "../sections/root.ts";
import { environmentName, fixedLeaves, formatPath, type Path, parsePath } from "./walk.ts";

const leaves = fixedLeaves(Root);

test("every key has its own variable, including the file variants of secrets", () => {
  const names = leaves.flatMap(({ path, node }) => {
    const name = environmentName(path);
    return node.secret ? [name, `${name}_FILE`] : [name];
  });
  expect(names.length).toBeGreaterThan(150);
  expect(new Set(names).size).toBe(names.length);
});

test("a variable's name belongs to only one key", () => {
  const byName = new Map(leaves.map(({ path }) => [environmentName(path), path]));
  fc.assert(
    fc.property(fc.constantFrom(...leaves), ({ path }) => {
      expect(byName.get(environmentName(path))).toEqual(path);
    }),
  );
});

test("a formatted path parses to itself", () => {
  const part = fc.oneof(fc.stringMatching(/^[a-z][a-z_-]{0,9}$/), fc.nat(99));
  const paths = fc.tuple(fc.stringMatching(/^[a-z]{1,9}$/), fc.array(part));
  fc.assert(
    fc.property(paths, ([root, rest]) => {
      const path: Path = [root, ...rest];
      expect(parsePath(formatPath(path))).toEqual(path);
    }),
  );
});
