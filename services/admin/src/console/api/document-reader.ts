import { compileCheck } from "@postern/shared/platform/http";
import { type Static, Type } from "typebox";

const text = Type.Optional(Type.String());
const content = Type.Optional(Type.Record(Type.String(), Type.Object({ schema: Type.Optional(Type.Unknown()) })));

const Parameter = Type.Object({
  name: Type.String(),
  in: Type.String(),
  required: Type.Optional(Type.Boolean()),
  description: text,
  schema: Type.Optional(Type.Unknown()),
});
export type ApiParameter = Static<typeof Parameter>;

const Operation = Type.Object({
  operationId: Type.String(),
  summary: text,
  description: text,
  tags: Type.Optional(Type.Array(Type.String())),
  security: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Array(Type.String())))),
  parameters: Type.Optional(Type.Array(Parameter)),
  requestBody: Type.Optional(Type.Object({ required: Type.Optional(Type.Boolean()), content })),
  responses: Type.Record(Type.String(), Type.Object({ description: text, content })),
});

/** What the page needs of the OpenAPI document that this process writes. */
const ApiDocument = Type.Object({
  info: Type.Object({ title: Type.String(), version: Type.String(), description: text }),
  tags: Type.Optional(Type.Array(Type.Object({ name: Type.String() }))),
  paths: Type.Record(Type.String(), Type.Record(Type.String(), Operation)),
  components: Type.Optional(
    Type.Object({
      schemas: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      securitySchemes: Type.Optional(Type.Record(Type.String(), Type.Object({ description: text }))),
    }),
  ),
});
export type ApiDocument = Static<typeof ApiDocument>;

export const documentCheck = compileCheck(ApiDocument);

/** One operation of the document. */
export interface ApiOperation extends Static<typeof Operation> {
  /** In upper case. */
  readonly method: string;
  readonly path: string;
}

export function operationsOf({ paths }: ApiDocument): readonly ApiOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

/** The operations that have all of the words, by their tags in the order of the document. */
export function operationsByTag(document: ApiDocument, words: string): ReadonlyMap<string, readonly ApiOperation[]> {
  const wanted = words.toLowerCase().split(/\s+/u);
  const found = operationsOf(document).filter(({ operationId, method, path, summary = "", tags = [] }) => {
    const whole = [operationId, method, path, summary, ...tags].join(" ").toLowerCase();
    return wanted.every((word) => whole.includes(word));
  });
  const groups = Map.groupBy(found, ({ tags: [first = "Other"] = [] }) => first);
  const order = (document.tags ?? []).map(({ name }) => name).filter((name) => groups.has(name));
  return new Map([...new Set([...order, ...groups.keys()])].map((name) => [name, groups.get(name) ?? []]));
}

const Node = Type.Object({
  $ref: text,
  title: text,
  description: text,
  type: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
  format: text,
  pattern: text,
  enum: Type.Optional(Type.Array(Type.Unknown())),
  const: Type.Optional(Type.Unknown()),
  default: Type.Optional(Type.Unknown()),
  minimum: Type.Optional(Type.Number()),
  maximum: Type.Optional(Type.Number()),
  minLength: Type.Optional(Type.Number()),
  maxLength: Type.Optional(Type.Number()),
  properties: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  required: Type.Optional(Type.Array(Type.String())),
  items: Type.Optional(Type.Unknown()),
  anyOf: Type.Optional(Type.Array(Type.Unknown())),
  oneOf: Type.Optional(Type.Array(Type.Unknown())),
  allOf: Type.Optional(Type.Array(Type.Unknown())),
});
export type SchemaNode = Static<typeof Node>;
const nodeCheck = compileCheck(Node);

const componentPath = "#/components/schemas/";

/** Reads one level of a JSON Schema, behind its reference. What is no schema has no members. */
export function createNodeOf({ components }: ApiDocument) {
  return (schema: unknown): SchemaNode => {
    const node = nodeCheck.accepts(schema) ? schema : {};
    const { $ref: reference } = node;
    if (reference?.startsWith(componentPath) !== true) return node;
    const name = reference.slice(componentPath.length);
    const found = components?.schemas?.[name];
    return nodeCheck.accepts(found) ? { title: name, ...found } : { title: name };
  };
}

export type NodeOf = ReturnType<typeof createNodeOf>;
