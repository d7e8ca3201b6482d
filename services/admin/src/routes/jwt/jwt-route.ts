import { type JwtTokenResponse } from "@postern/shared/contracts";
import { bearerChallenge } from "@postern/shared/platform/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { JwtIssuer } from "../../jwt/jwt-issuer.ts";
import type { JwtOutcome } from "../../jwt/outcome.ts";
import type { UserRequest } from "../../jwt/users.ts";

/** The result of a request, for the metrics. */
export type JwtResult = "issued" | "malformed" | "denied" | "no_role" | "undecided";

export interface JwtRouteDeps {
  /** Undefined while `auth.backchannel.jwt.enabled` or the endpoint is off. */
  readonly issuer: () => JwtIssuer | undefined;
  /** Counts and audits a result. */
  readonly counted: (result: JwtResult, request: FastifyRequest) => void;
  /** Deadline and identity of the request, for further calls. */
  readonly contextOf: (request: FastifyRequest, reply: FastifyReply) => UserRequest;
}

export type JwtReply = JwtTokenResponse | { readonly error: string };

/** One step of a route: its answer, or undefined for a malformed request. */
export type Attempt = (
  issuer: JwtIssuer,
  request: FastifyRequest,
  context: UserRequest,
) => Promise<JwtOutcome> | undefined;

export interface JwtTexts {
  readonly malformed: string;
  readonly denied: string;
}

/** 404 if disabled, 400, then 200, 401 or 403; the error handler sends 500. */
export function createJwtRoute({ issuer, counted, contextOf }: JwtRouteDeps, attempt: Attempt, texts: JwtTexts) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<JwtReply> => {
    const enabled = issuer();
    if (enabled === undefined) {
      reply.code(404);
      return { error: "not found" };
    }
    const attempted = attempt(enabled, request, contextOf(request, reply));
    if (attempted === undefined) {
      counted("malformed", request);
      reply.code(400);
      return { error: texts.malformed };
    }
    const ended = await attempted.catch((error: unknown) => {
      counted("undecided", request);
      throw error;
    });
    counted(ended.outcome, request);
    // RFC 6749 §5.1: tokens must not be cached.
    reply.header("cache-control", "no-store");
    switch (ended.outcome) {
      case "issued":
        return ended.response;
      case "denied":
        // The password or refresh token would have resulted in a Bearer token, hence this challenge.
        reply.code(401).header("www-authenticate", bearerChallenge);
        return { error: texts.denied };
      case "no_role":
        reply.code(403);
        return { error: "missing required role" };
    }
  };
}
