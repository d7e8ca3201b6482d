import type { Logger } from "@postern/shared/logging";
import type { ValidateRequest } from "@postern/shared/openapi";
import type { FastifyReply, FastifyRequest } from "fastify";

/** `runtime.servers.http.openapi_validation`; absent when it is off. */
export interface RequestValidation {
  readonly validate: ValidateRequest;
  /** False: a request that differs is only logged. */
  readonly enforce: boolean;
}

/** Compares a request with the management contract before its route sees it: 400 where it differs. */
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
      "a request is not as the contract says",
    );
    return enforce ? reply.code(400).send({ error: difference }) : undefined;
  };
}
