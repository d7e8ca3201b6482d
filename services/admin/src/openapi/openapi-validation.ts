import type { Logger } from "@postern/shared/platform/logging";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ValidateRequest } from "./request-validation.ts";

/** `runtime.servers.http.openapi_validation`; absent if it is off. */
export interface RequestValidation {
  readonly validate: ValidateRequest;
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
