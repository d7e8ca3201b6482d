import { isDeepStrictEqual } from "node:util";
import type { TObject, TSchema } from "typebox";
import { stringify } from "yaml";
import { type Audience, apiPrefix, type Operation, type OperationAnswer, operations } from "../../contracts/index.ts";
import type { Config } from "../config/index.ts";
import { headerPrefix } from "../http/header-names.ts";
import { defaultNames, type SiteNames, sitePath } from "../http/operation-routes.ts";
import { isJsonObject, type Json, type JsonObject, toJson } from "./json.ts";
import { answersOf, schemesOf, securityOf } from "./security.ts";

type Components = ReturnType<typeof createComponents>;

/** TypeBox writes draft-07 tuples; OpenAPI 3.1 uses JSON Schema 2020-12 (§8.4.1). */
function withPrefixItems(schema: JsonObject): JsonObject {
  const { items, additionalItems, ...rest } = schema;
  if (!Array.isArray(items)) return schema;
  return { ...rest, prefixItems: items, items: additionalItems ?? true };
}

/** Schemas with a title, each once; all others are inlined. */
function createComponents() {
  const schemas = new Map<string, JsonObject>();

  function keep(title: string, schema: JsonObject): JsonObject {
    const known = schemas.get(title);
    if (known !== undefined && !isDeepStrictEqual(known, schema)) {
      throw new TypeError(`two schemas have the title ${title}`);
    }
    schemas.set(title, schema);
    return { $ref: `#/components/schemas/${title}` };
  }

  function hoist(value: Json): Json {
    if (Array.isArray(value)) return value.map(hoist);
    if (!isJsonObject(value)) return value;
    const { title, ...rest } = withPrefixItems(value);
    const inner = Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, hoist(member)]));
    if (typeof title !== "string") return title === undefined ? inner : { ...inner, title: hoist(title) };
    return keep(title, inner);
  }

  return {
    schemas: (): JsonObject =>
      Object.fromEntries([...schemas].toSorted(([left], [right]) => left.localeCompare(right))),
    /** @throws TypeError when two different schemas have the same title. */
    reference: (schema: TSchema): JsonObject => {
      const json = hoist(toJson(schema));
      return isJsonObject(json) ? json : {};
    },
  };
}

export interface DocumentOptions {
  readonly audience: Audience;
  readonly names?: SiteNames;
  /** The address at which clients reach the service: `servers[0].url`; default `/`. */
  readonly baseUrl?: string;
  /** Default: all operations of the interface. */
  readonly operations?: readonly Operation[];
}

const titles: Readonly<Record<Audience, string>> = {
  management: "Postern: authentication and management",
  idp: "Postern: identity provider",
};

/** The version of the HTTP interface: paths contain v1, and additions raise the second number. */
const interfaceVersion = "1.0.0";

const sessionHeader = "X-Service-Session";

/** A header name, or text that contains one, with this site's names. */
function siteHeader(text: string, { identifier }: SiteNames): string {
  return text.replaceAll("X-Service-", headerPrefix(identifier));
}

interface Making {
  readonly components: Components;
  readonly names: SiteNames;
}

/** A parameter or header: its description stands beside its schema. */
function described(schema: TSchema, { components }: Making): JsonObject {
  const { description, ...rest } = components.reference(schema);
  return { ...(description !== undefined && { description }), schema: rest };
}

function parametersIn(place: "path" | "query" | "header", schema: TObject | undefined, making: Making): JsonObject[] {
  if (schema === undefined) return [];
  const required = new Set(schema.required);
  return Object.entries(schema.properties).map(([name, property]) => ({
    name: siteHeader(name, making.names),
    in: place,
    required: required.has(name),
    ...described(property, making),
  }));
}

function contentOf(content: OperationAnswer["content"], { components }: Making): JsonObject {
  return Object.fromEntries(
    Object.entries(content ?? {}).map(([type, schema]) => [type, { schema: components.reference(schema) }]),
  );
}

function headersOf(operation: Operation, { headers = {} }: OperationAnswer, making: Making): JsonObject {
  // Pages for operators, the documents and the browser paths do not have it.
  const isApi = operation.path.startsWith(`${apiPrefix}/`);
  const all = isApi ? { [sessionHeader]: { type: "string" }, ...headers } : headers;
  return Object.fromEntries(
    Object.entries(all).map(([name, schema]) => [siteHeader(name, making.names), described(schema, making)]),
  );
}

function answerObject(operation: Operation, answer: OperationAnswer, making: Making): JsonObject {
  const headers = headersOf(operation, answer, making);
  return {
    description: siteHeader(answer.description, making.names),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(answer.content !== undefined && { content: contentOf(answer.content, making) }),
    // OpenAPI has no field for an optional response body.
    ...(answer.bodyOptional === true && { "x-empty-body": true }),
  };
}

function operationObject(operation: Operation, making: Making): JsonObject {
  const { operationId, summary, description, tag, request = {} } = operation;
  const parameters = [
    ...parametersIn("path", request.path, making),
    ...parametersIn("query", request.query, making),
    ...parametersIn("header", request.headers, making),
  ];
  const responses = Object.entries(answersOf(operation)).map(([status, answer]) => [
    status,
    answerObject(operation, answer, making),
  ]);
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    security: toJson(securityOf(operation, making.names.identifier)),
    ...(parameters.length > 0 && { parameters }),
    ...(request.body !== undefined && {
      requestBody: { required: request.bodyRequired ?? true, content: contentOf(request.body, making) },
    }),
    responses: Object.fromEntries(responses),
  };
}

function pathsOf(own: readonly Operation[], making: Making): JsonObject {
  const paths = new Map<string, JsonObject>();
  for (const operation of own) {
    const path = sitePath(operation, making.names);
    paths.set(path, { ...paths.get(path), [operation.method]: operationObject(operation, making) });
  }
  return Object.fromEntries([...paths].toSorted(([left], [right]) => left.localeCompare(right)));
}

/** Answers that any path may give before an operation is known. */
const anyRequest = [
  "Any operation may return 400 (not HTTP, or a path that cannot be decoded; for API callers, an unknown query parameter), 404 (unknown path), 405 with `Allow` (method not",
  "allowed), 408 (the request took too long to arrive), 413 (the body or its chunk extensions are too large) or 431 (header fields",
  "larger than 32 KiB).",
  'The body of these responses, if any, is `{"error": "…"}`. All responses contain the session header.',
].join(" ");

/** The OpenAPI 3.1 document of an audience, as plain JSON. */
export function openapiDocument(options: DocumentOptions): JsonObject {
  const { audience, names = defaultNames, baseUrl = "/" } = options;
  const own = (options.operations ?? operations).filter(
    (operation) => operation.audience === audience && operation.undocumented === undefined,
  );
  const making = { components: createComponents(), names };
  const paths = pathsOf(own, making);
  return {
    openapi: "3.1.0",
    info: {
      title: titles[audience],
      description: anyRequest,
      version: interfaceVersion,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(own.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: making.components.schemas(),
      securitySchemes: schemesOf(own.map((operation) => securityOf(operation, names.identifier))),
    },
  };
}

/** A document in JSON and YAML. */
export type RenderedDocument = ReturnType<typeof renderOpenapi>;

export type DocumentFormat = keyof RenderedDocument;

export const openapiTypes = {
  json: "application/json; charset=utf-8",
  yaml: "application/yaml; charset=utf-8",
} as const;

export function renderOpenapi(options: DocumentOptions) {
  const document = openapiDocument(options);
  return {
    json: JSON.stringify(document),
    // YAML 1.1 parsers read a bare `on`, `no` or `y` as a boolean, so such words are quoted.
    yaml: stringify(document, { aliasDuplicateObjects: false, lineWidth: 120, compat: "yaml-1.1" }),
  };
}

/** The site's document, generated at the first request. */
export function lazyOpenapi(audience: Audience, { runtime }: Config): () => RenderedDocument {
  const { identifier, proxy_segment: proxySegment, sasl_segment: saslSegment } = runtime.naming;
  let rendered: RenderedDocument | undefined;
  return () => {
    rendered ??= renderOpenapi({ audience, names: { identifier, proxySegment, saslSegment } });
    return rendered;
  };
}
