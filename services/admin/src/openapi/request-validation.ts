import { type Operation, operations, validatedOperations } from "@postern/shared/contracts";
import { explainDifference } from "@postern/shared/platform/bus";
import type { Logger } from "@postern/shared/platform/logging";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";

/** `runtime.servers.http.openapi_validation`; absent if it is off. */
export interface RequestValidation {
  readonly validate: ReturnType<typeof createRequestValidation>;
  /** False: an invalid request is only logged. */
  readonly enforce: boolean;
}

/** Validates a request against the OpenAPI document before its route runs: 400 if it does not match. */
export function validateRequests(current: () => RequestValidation | undefined, logger: Logger) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const validation = current();
    const { url: route = "" } = request.routeOptions;
    const { method, query, body } = request;
    const difference = validation?.validate({ method, route, query, body });
    if (validation === undefined || difference === undefined) return undefined;
    const { enforce } = validation;
    logger.warn(
      { session: request.caller?.session, route, difference, enforce },
      "request does not match the API schema",
    );
    return enforce ? reply.code(400).send({ error: difference }) : undefined;
  };
}

function explain(schema: TSchema | undefined, where: string): (value: unknown) => string | undefined {
  if (schema === undefined) return () => undefined;
  const validator = Compile(schema);
  return (value) => {
    if (validator.Check(value)) return undefined;
    return explainDifference(schema, validator.Errors(value).at(-1), where);
  };
}

function validatorOf({ request = {} }: Operation): (query: unknown, body: unknown) => string | undefined {
  const query = explain(request.query, "the query");
  const body = explain(request.body?.["application/json"], "the body");
  const mayBeAbsent = request.bodyRequired === false;
  return (queryParams, sent) => {
    const isAbsent = sent === undefined || sent === null;
    return query(queryParams) ?? (isAbsent && mayBeAbsent ? undefined : body(sent));
  };
}

type Validated = Pick<FastifyRequest, "method" | "query" | "body"> & { readonly route: string };

/** Schemas are compiled here, once. */
export function createRequestValidation(operationIds: readonly string[]) {
  const wanted = new Set(operationIds.filter((id) => validatedOperations.includes(id)));
  const validators = new Map(
    operations
      .filter(({ operationId }) => wanted.has(operationId))
      .map((operation) => [`${operation.method} ${operation.path}`, validatorOf(operation)]),
  );
  /** Why a request does not match the schemas of its operation; undefined if it matches or is not validated. @param route without parameters filled in */
  return ({ method, route, query, body }: Validated): string | undefined =>
    validators.get(`${method.toLowerCase()} ${route}`)?.(query, body);
}
