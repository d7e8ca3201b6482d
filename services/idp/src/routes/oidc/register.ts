import { operation } from "@postern/shared/contracts";
import { routeOf } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { FlowRecord } from "../../flow/flow-record.ts";
import { scopesForClaims } from "../../oidc/claims/client-claims.ts";
import { describeScope } from "../../oidc/grants/consent-scopes.ts";
import { createSignUserinfo } from "../../oidc/provider/sign-userinfo.ts";
import { mailResources } from "../../oidc/settings/mail-resources.ts";
import { wordsOf } from "../../oidc/storage/json.ts";
import type { Pages } from "../../pages/pages.ts";
import type { ConsentScope } from "../../pages/templates/consent.ts";
import type { VisitContext as LoginDeps } from "../../visit/context.ts";
import { type PageRoute, registerPageRoutes, servePage } from "../../visit/page-routes.ts";
import type { OidcPagesDeps, OidcRoutesDeps } from "./deps.ts";
import { parseForms } from "./form.ts";
import { getAuthorize, getAuthorizeSegment, type SegmentParams } from "./get-authorize.ts";
import { getCheckSession } from "./get-check-session.ts";
import { getConsent } from "./get-consent.ts";
import { getDiscovery } from "./get-discovery.ts";
import { getJwks } from "./get-jwks.ts";
import { getToken } from "./get-token.ts";
import { getUserinfo } from "./get-userinfo.ts";
import { createRefuseClient } from "./json-reply.ts";
import { postAuthorize } from "./post-authorize.ts";
import { postConsent } from "./post-consent.ts";
import { postDevice } from "./post-device.ts";
import { postIntrospect } from "./post-introspect.ts";
import { postPar } from "./post-par.ts";
import { postRevoke } from "./post-revoke.ts";
import { postToken } from "./post-token.ts";
import { deviceRoutes } from "./register-device.ts";

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
export function registerOidcRoutes(scope: FastifyInstance, oidc: OidcRoutesDeps, pages: Pages | undefined): void {
  const { bridge, generations, issuer } = oidc;
  const current = () => generations.current();
  const policies = () => current().policies;
  parseForms(scope);
  scope.route({ ...routeOf(operation("discovery")), handler: getDiscovery(oidc) });
  scope.route({ ...routeOf(operation("authorizationServerMetadata")), handler: getDiscovery(oidc) });
  scope.route({ ...routeOf(operation("jwks")), handler: getJwks(oidc) });
  const pass = (request: FastifyRequest, reply: FastifyReply): FastifyReply => bridge.pass(request, reply);
  for (const id of crossOrigin) scope.route({ ...routeOf(operation(id)), method: "OPTIONS", handler: pass });
  const authorize = {
    bridge,
    pages,
    logger: oidc.logger,
    requestObjects: oidc.requestObjects,
    mailResources: () => mailResources(oidc.schedule.settings),
  };
  scope.route({ ...routeOf(operation("authorize")), handler: getAuthorize(authorize) });
  scope.route<SegmentParams>({ ...routeOf(operation("authorizeInLanguage")), handler: getAuthorizeSegment(authorize) });
  scope.route({ ...routeOf(operation("authorizePost")), handler: postAuthorize(authorize) });
  scope.route({ ...routeOf(operation("checkSession")), handler: getCheckSession(pages) });
  const refuse = createRefuseClient(issuer, oidc.logger);
  const token = { ...oidc, current, refuse };
  scope.route({ ...routeOf(operation("tokenByQuery")), handler: getToken(token) });
  scope.route({ ...routeOf(operation("token")), handler: postToken(token) });
  scope.route({ ...routeOf(operation("deviceAuthorization")), handler: postDevice(token) });
  scope.route({ ...routeOf(operation("pushAuthorization")), handler: postPar(token) });
  const mailRegistration = () => oidc.schedule.settings.oidc.mail_registration;
  const withPolicies = { ...oidc, policies, refuse };
  scope.route({ ...routeOf(operation("introspect")), handler: postIntrospect({ ...withPolicies, mailRegistration }) });
  scope.route({ ...routeOf(operation("revoke")), handler: postRevoke(withPolicies) });
  const userinfo = { ...withPolicies, sign: createSignUserinfo(current) };
  scope.route({ ...routeOf(operation("userinfo")), handler: getUserinfo(userinfo) });
  scope.route({ ...routeOf(operation("userinfoPost")), handler: getUserinfo(userinfo) });
}

/** Pages of the protocol: consent, device. */
export function registerOidcPages(app: FastifyInstance, oidc: OidcPagesDeps, login: LoginDeps): void {
  const { pages, gate, logger, audit } = login;
  const describe = (flow: FlowRecord, scope: string): ConsentScope =>
    describeScope(oidc.schedule.settings, flow.client?.id ?? "", scope);
  const scopesOfClaims = (flow: FlowRecord): readonly string[] => {
    const claims = oidc.generations.current().policies.get(flow.client?.id ?? "")?.claims;
    const { scopes = [], claims: named = [] } = flow.missing ?? {};
    return claims === undefined ? [] : scopesForClaims(claims, named, [...scopes, ...wordsOf(flow.params?.scope)]);
  };
  const deps = { pages, gate, audit, consent: oidc.finish, describe, scopesOfClaims };
  const routes: readonly PageRoute[] = [
    servePage("consentPage", getConsent(deps)),
    servePage("consent", postConsent(deps)),
    ...deviceRoutes({ ...login, ...oidc, describe, scopesOfClaims, current: () => oidc.generations.current() }),
  ];
  registerPageRoutes(app, routes, { pages, logger });
}
