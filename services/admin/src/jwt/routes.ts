import { type JwtTokenRequest, type JwtTokenResponse, operation, userNameFault } from "@postern/shared/contracts";
import type { Audit, AuditOutcome } from "@postern/shared/domain/audit";
import { Secret } from "@postern/shared/platform/crypto";
import { bearerChallenge, routeOf } from "@postern/shared/platform/http";
import { steadyClock } from "@postern/shared/platform/time";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../context.ts";
import type { JwtIssuer } from "./jwt-issuer.ts";
import type { JwtOutcome, JwtResult, UserRequest } from "./users.ts";

type JwtRouteContext = Pick<AdminContext, "jwtIssuer" | "live" | "adminMetrics" | "audit">;

export type JwtReply = JwtTokenResponse | { readonly error: string };

/** One step of a route: its answer, or undefined for a malformed request. */
export type Attempt = (
  issuer: JwtIssuer,
  request: FastifyRequest,
  work: UserRequest,
) => Promise<JwtOutcome> | undefined;

export interface JwtTexts {
  readonly malformed: string;
  readonly denied: string;
}

/** Deadline and identity of the request, for further calls. */
function workOf(timeoutMs: number, { request, raw }: FastifyReply): UserRequest {
  const gone = new AbortController();
  raw.once("close", () => gone.abort());
  const { session = request.id, clientIp = "", defaultDomain } = request.caller ?? {};
  return { session, clientIp, defaultDomain, deadline: steadyClock.now() + timeoutMs, signal: gone.signal };
}

/** 404 if disabled, 400, then 200, 401 or 403; the error handler sends 500. */
function createJwtRoute(context: JwtRouteContext, endpoint: "token" | "refresh", attempt: Attempt, texts: JwtTexts) {
  const { jwtIssuer, live, adminMetrics, audit } = context;
  const write = auditJwt(audit, endpoint === "token" ? "token.login" : "token.refresh");
  const counted = (result: JwtResult, request: FastifyRequest): void => {
    adminMetrics.jwt(endpoint, result);
    write(result, request);
  };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<JwtReply> => {
    const enabled = live.current.jwt.disabled ? undefined : jwtIssuer;
    if (enabled === undefined) {
      reply.code(404);
      return { error: "not found" };
    }
    const attempted = attempt(enabled, request, workOf(live.current.decisionTimeoutMs, reply));
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

const outcomes: Readonly<Record<JwtResult, AuditOutcome | undefined>> = {
  issued: "ok",
  denied: "denied",
  no_role: "denied",
  undecided: "undecided",
  // No token was requested.
  malformed: undefined,
};

/** Only if it was authenticated: an attacker's input may be anything, even a password. */
const proved: ReadonlySet<JwtResult> = new Set(["issued", "no_role"]);

function usernameOf({ body }: FastifyRequest): string | undefined {
  if (typeof body !== "object" || body === null || !("username" in body)) return undefined;
  return typeof body.username === "string" ? body.username : undefined;
}

/** Audits the result of a request to the JWT endpoints. */
function auditJwt(audit: Audit, event: "token.login" | "token.refresh") {
  return (result: JwtResult, request: FastifyRequest): void => {
    const outcome = outcomes[result];
    if (outcome === undefined) return;
    const reason = result === "no_role" ? result : undefined;
    const { session = request.id, clientIp } = request.caller ?? {};
    audit.record({
      event,
      outcome,
      actor: proved.has(result) ? usernameOf(request) : undefined,
      clientIp,
      session,
      reason,
    });
  };
}

const maxPasswordLength = 4096;

function isText(value: unknown, maxLength: number): value is string {
  return typeof value === "string" && value !== "" && value.length <= maxLength;
}

function isUsername(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && userNameFault(value) === undefined;
}

function isTokenRequest(body: unknown): body is JwtTokenRequest {
  if (typeof body !== "object" || body === null || !("username" in body) || !("password" in body)) return false;
  return isUsername(body.username) && isText(body.password, maxPasswordLength);
}

/** `POST /api/v1/jwt/token`. */
function postToken(context: JwtRouteContext) {
  return createJwtRoute(
    context,
    "token",
    (issuer, { body }, work) => {
      if (!isTokenRequest(body)) return undefined;
      return issuer.logIn({ username: body.username.trim(), password: new Secret(body.password) }, work);
    },
    { malformed: "invalid payload", denied: "authentication failed" },
  );
}

/** `POST /api/v1/jwt/refresh`: the token is in `X-Refresh-Token`; a body is not read. */
function postRefresh(context: JwtRouteContext) {
  return createJwtRoute(
    context,
    "refresh",
    (issuer, { headers }, work) => {
      const token = headers["x-refresh-token"];
      return typeof token === "string" && token !== "" ? issuer.refresh(token, work) : undefined;
    },
    { malformed: "refresh token is required", denied: "invalid refresh token" },
  );
}

/** The JWT endpoints. They need no caller authentication, because they issue the credentials for it. */
export function registerJwtRoutes(app: FastifyInstance, context: JwtRouteContext): void {
  app.route({ ...routeOf(operation("issueToken")), handler: postToken(context) });
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Its token is in a header; a body is ignored.
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload.resume()));
    scope.route({ ...routeOf(operation("refreshToken")), handler: postRefresh(context) });
  });
}
