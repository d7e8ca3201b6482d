import * as fc from "fast-check";
import { type TSchema, Type } from "typebox";
import { Compile } from "typebox/compile";
import { expect, test } from "vitest";
import { type Mapping } from "../../json/index.ts";
import { createUnknownKeys } from "../accepted-keys.ts";
import { derive } from "../load.ts";
import { createProblemList } from "../problem.ts";
import { Root } from "../sections/root.ts";
import { createEnvironment } from "../sources/environment.ts";
import type { LeafNode, SchemaNode } from "../tree/node.ts";
import { readSection, type ValueSource } from "./reader.ts";

function leafSchema({ type, default: value, choices, minLength, ...node }: LeafNode): TSchema {
  const set = { ...node, minLength: value === undefined ? minLength : undefined };
  const names = ["minimum", "maximum", "minLength", "maxLength", "minItems"] as const;
  const bounds = Object.fromEntries(names.filter((name) => set[name] !== undefined).map((name) => [name, set[name]]));
  const schemas = {
    text: Type.String(bounds),
    scalar: Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
    flag: Type.Boolean(),
    integer: Type.Integer(bounds),
    number: Type.Number(bounds),
    duration: Type.Number(bounds),
    choice: Type.Enum([...choices]),
    texts: Type.Array(Type.String(), bounds),
    structure: Type.Unknown(),
  };
  return schemas[type];
}

/** What the types of the configuration promise, for a validator that knows nothing of the reader. */
function schemaOf(node: SchemaNode): TSchema {
  switch (node.kind) {
    case "leaf":
      return leafSchema(node);
    case "section": {
      const properties = [...node.children].map(([name, child]) => [name, schemaOf(child)] as const);
      return Type.Object(Object.fromEntries(properties), { additionalProperties: false });
    }
    case "list":
      return Type.Array(schemaOf(node.entry));
    case "map":
      return Type.Record(Type.String(), schemaOf(node.entry));
  }
}

const schema = Compile(schemaOf(Root));

/** Whether what is read has the shape of the schema, problems or not. */
function conforms(written: Mapping): boolean {
  const problems = createProblemList();
  const sources = new Map<string, ValueSource>();
  const root = readSection(Root, written, [], {
    environment: createEnvironment({}, problems.report),
    problem: problems.report,
    unknownKey: createUnknownKeys(problems.report, problems.report),
    sources,
    readSecretFile: () => undefined,
  });
  derive({ root, sources });
  return schema.Check(root);
}

/** Paths of all keys; entries of lists and maps are named `0` and `name`. */
function keysOf(node: SchemaNode, path: readonly (string | number)[] = []): readonly (readonly (string | number)[])[] {
  switch (node.kind) {
    case "leaf":
      return [path];
    case "section":
      return [[...path], ...[...node.children].flatMap(([name, child]) => keysOf(child, [...path, name]))];
    case "list":
      return [[...path], ...keysOf(node.entry, [...path, 0])];
    case "map":
      return [[...path], ...keysOf(node.entry, [...path, "name"])];
  }
}

function treeWith([root, ...path]: readonly (string | number)[], value: unknown): Mapping {
  const inner = path.reduceRight<unknown>((content, part) => (part === 0 ? [content] : { [part]: content }), value);
  return root === undefined ? {} : { [root]: inner };
}

const anyValue = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom("10s", "-1s", "yes", "", 0, -1, 1e12, 0.5, true, null, [], {}, [""], "127.0.0.1:80"),
);

test("for any value of a key, the result matches the schema", () => {
  const keys = keysOf(Root).filter((path) => path.length > 0);
  expect(keys.length).toBeGreaterThan(500);
  fc.assert(
    fc.property(fc.constantFrom(...keys), anyValue, (path, value) => conforms(treeWith(path, value))),
    { numRuns: 100 },
  );
});

test("every key with a value of another type is read as its default", () => {
  const wrong = keysOf(Root).filter((path) => path.length > 0 && !conforms(treeWith(path, { a: [1] })));
  expect(wrong).toEqual([]);
});
