import { type JwtTokenResponse } from "@postern/shared/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { JwtIssuer } from "../../jwt/jwt-issuer.ts";
import type { JwtOutcome } from "../../jwt/outcome.ts";
import type { UserRequest } from "../../jwt/users.ts";

/** What became of a request, for the metrics. */
export type JwtResult = "issued" | "malformed" | "denied" | "no_role" | "undecided";

export interface JwtRouteDeps {
  /** Undefined while `auth.backchannel.jwt.enabled` or the endpoint is off. */
  readonly issuer: () => JwtIssuer | undefined;
  /** Counts it, and writes it down. */
  readonly counted: (result: JwtResult, request: FastifyRequest) => void;
  /** The request's time and identity for whoever is asked on the way. */
  readonly contextOf: (request: FastifyRequest, reply: FastifyReply) => UserRequest;
}

export type JwtReply = JwtTokenResponse | { readonly error: string };

/** A step of a route: its answer, or undefined for a request that is none. */
export type Attempt = (
  issuer: JwtIssuer,
  request: FastifyRequest,
  context: UserRequest,
) => Promise<JwtOutcome> | undefined;

export interface JwtTexts {
  readonly malformed: string;
  readonly denied: string;
}

/** 404 when switched off, 400, then 200, 401 or 403; 500 comes from the error handler. */
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
    // RFC 6749 §5.1: nobody keeps a token on the way.
    reply.header("cache-control", "no-store");
    switch (ended.outcome) {
      case "issued":
        return ended.response;
      case "denied":
        reply.code(401);
        return { error: texts.denied };
      case "no_role":
        reply.code(403);
        return { error: "missing required role" };
    }
  };
}
