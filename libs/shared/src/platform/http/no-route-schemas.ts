function refuse(): never {
  throw new TypeError("a route has a schema for Fastify: describe the operation in the contracts instead");
}

/**
 * Options for Fastify. The contracts check requests and answers, so routes have no schemas of their own, and the libraries that would compile
 * them are not loaded at the start (docs/contributing/performance.md).
 */
export const noRouteSchemas = {
  schemaController: { compilersFactory: { buildValidator: refuse, buildSerializer: refuse } },
} as const;
