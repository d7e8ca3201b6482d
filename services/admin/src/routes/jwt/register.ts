import { operation } from "@postern/shared/contracts";
import { routeOf } from "@postern/shared/platform/http";
import { steadyClock } from "@postern/shared/platform/time";
import type { FastifyInstance } from "fastify";
import type { AdminContext } from "../../context.ts";
import { auditJwt } from "./audit-jwt.ts";
import type { JwtRouteDeps } from "./jwt-route.ts";
import { postRefresh } from "./post-refresh.ts";
import { postToken } from "./post-token.ts";

type JwtRouteContext = Pick<AdminContext, "jwtIssuer" | "live" | "adminMetrics" | "audit">;

function depsOf(context: JwtRouteContext, endpoint: "token" | "refresh"): JwtRouteDeps {
  const { jwtIssuer, live, adminMetrics, audit } = context;
  const written = auditJwt(audit, endpoint === "token" ? "token.login" : "token.refresh");
  return {
    issuer: () => (live.current.jwt.disabled ? undefined : jwtIssuer),
    counted: (result, request) => {
      adminMetrics.jwt(endpoint, result);
      written(result, request);
    },
    contextOf: (request, reply) => {
      const gone = new AbortController();
      reply.raw.once("close", () => gone.abort());
      return {
        session: request.caller?.session ?? request.id,
        clientIp: request.caller?.clientIp ?? "",
        deadline: steadyClock.now() + live.current.decisionTimeoutMs,
        signal: gone.signal,
      };
    },
  };
}

/** The JWT endpoints. They need no caller authentication, because they issue the credentials for it. */
export function registerJwtRoutes(app: FastifyInstance, context: JwtRouteContext): void {
  app.route({ ...routeOf(operation("issueToken")), handler: postToken(depsOf(context, "token")) });
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Its token is in a header; a body is ignored.
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload.resume()));
    scope.route({ ...routeOf(operation("refreshToken")), handler: postRefresh(depsOf(context, "refresh")) });
  });
}
