import { operation } from "@postern/shared/contracts";
import { routeOf } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Pages } from "../pages/pages.ts";
import type { VisitContext } from "../visit/context.ts";
import { registerPageRoutes, servePage } from "../visit/page-routes.ts";
import { getAuthorize, getAuthorizeSegment, postAuthorize, type SegmentParams } from "./authorize.ts";
import { getConsent, postConsent } from "./consent.ts";
import type { OidcContext } from "./context.ts";
import { deviceRoutes } from "./device-pages.ts";
import { parseForms } from "./http/form.ts";
import { postIntrospect } from "./introspect.ts";
import { getCheckSession } from "./logout/check-session.ts";
import { postRevoke } from "./revoke.ts";
import { getToken, postForm } from "./token.ts";
import { getUserinfo } from "./userinfo.ts";

/** Paths for requests from other origins; the provider decides which origins are allowed (CORS). */
const crossOrigin = [
  "token",
  "userinfo",
  "revoke",
  "pushAuthorization",
  "deviceAuthorization",
  "jwks",
  "discovery",
] as const;

/** The routes of the protocol, without its pages. */
export function registerOidcRoutes(scope: FastifyInstance, oidc: OidcContext, pages: Pages | undefined): void {
  parseForms(scope);
  // The protocol core writes these documents; `oidc/provider/answers.ts` adds members, and `oidc/keys/signing-keys.ts` rotates the keys.
  const pass = (request: FastifyRequest, reply: FastifyReply): FastifyReply => oidc.bridge.pass(request, reply);
  scope.route({ ...routeOf(operation("discovery")), handler: pass });
  scope.route({ ...routeOf(operation("authorizationServerMetadata")), handler: pass });
  scope.route({ ...routeOf(operation("jwks")), handler: pass });
  for (const id of crossOrigin) scope.route({ ...routeOf(operation(id)), method: "OPTIONS", handler: pass });
  const authorize = { oidc, pages };
  scope.route({ ...routeOf(operation("authorize")), handler: getAuthorize(authorize) });
  scope.route<SegmentParams>({ ...routeOf(operation("authorizeInLanguage")), handler: getAuthorizeSegment(authorize) });
  scope.route({ ...routeOf(operation("authorizePost")), handler: postAuthorize(authorize) });
  scope.route({ ...routeOf(operation("checkSession")), handler: getCheckSession(pages) });
  scope.route({ ...routeOf(operation("tokenByQuery")), handler: getToken(oidc) });
  for (const id of ["token", "deviceAuthorization", "pushAuthorization"] as const) {
    scope.route({ ...routeOf(operation(id)), handler: postForm(id, oidc) });
  }
  scope.route({ ...routeOf(operation("introspect")), handler: postIntrospect(oidc) });
  scope.route({ ...routeOf(operation("revoke")), handler: postRevoke(oidc) });
  scope.route({ ...routeOf(operation("userinfo")), handler: getUserinfo(oidc) });
  scope.route({ ...routeOf(operation("userinfoPost")), handler: getUserinfo(oidc) });
}

export function registerOidcPages(app: FastifyInstance, oidc: OidcContext, visits: VisitContext): void {
  const routes = [
    servePage("consentPage", getConsent(oidc, visits)),
    servePage("consent", postConsent(oidc, visits)),
    ...deviceRoutes({ ...visits, oidc }),
  ];
  registerPageRoutes(app, routes, visits);
}
