import { operation, pathTo } from "@postern/shared/contracts";
import { routeOf } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { FlowRecord } from "../../flow/flow-record.ts";
import { describeScope } from "../../oidc/grants/consent-scopes.ts";
import { claimTable, type OidcSettings } from "../../oidc/settings/oidc-settings.ts";
import type { Pages } from "../../pages/pages.ts";
import type { ConsentScope } from "../../pages/templates/consent.ts";
import type { LoginDeps } from "../login/deps.ts";
import { type PageRoute, registerPageRoutes, servePage } from "../page-routes.ts";
import { getAuthorize, getAuthorizeSegment, postAuthorize, type SegmentParams } from "./authorize.ts";
import { getConsent, postConsent } from "./consent.ts";
import type { OidcPagesDeps, OidcRoutesDeps } from "./deps.ts";
import { deviceRoutes } from "./device.ts";
import { parseForms } from "./form.ts";
import { createRefuseClient } from "./json-reply.ts";
import { postIntrospect } from "./post-introspect.ts";
import { postRevoke } from "./post-revoke.ts";
import { getToken, postForm } from "./token.ts";
import { userinfo } from "./userinfo.ts";

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
/** Served by the protocol core as they come. */
const passed = ["discovery", "authorizationServerMetadata", "jwks"] as const;

/** The claim table of the current settings; rebuilt only when they change, as each userinfo request needs it. */
function tableOf(settings: () => OidcSettings): () => ReturnType<typeof claimTable> {
  let known = { of: settings(), table: claimTable(settings()) };
  return () => {
    const now = settings();
    if (known.of !== now) known = { of: now, table: claimTable(now) };
    return known.table;
  };
}

/** The routes of the protocol, without its pages. */
export function registerOidcRoutes(scope: FastifyInstance, oidc: OidcRoutesDeps, pages: Pages | undefined): void {
  const { bridge, generations, schedule, issuer } = oidc;
  const current = () => generations.current();
  const policies = () => current().policies;
  parseForms(scope);
  const pass = (request: FastifyRequest, reply: FastifyReply): FastifyReply => bridge.pass(request, reply);
  for (const id of passed) scope.route({ ...routeOf(operation(id)), handler: pass });
  for (const id of crossOrigin) scope.route({ ...routeOf(operation(id)), method: "OPTIONS", handler: pass });
  const authorize = { bridge, pages, logger: oidc.logger };
  scope.route({ ...routeOf(operation("authorize")), handler: getAuthorize(authorize) });
  scope.route<SegmentParams>({ ...routeOf(operation("authorizeInLanguage")), handler: getAuthorizeSegment(authorize) });
  scope.route({ ...routeOf(operation("authorizePost")), handler: postAuthorize(authorize) });
  const refuse = createRefuseClient(issuer, oidc.logger);
  const token = { ...oidc, current, refuse };
  scope.route({ ...routeOf(operation("tokenByQuery")), handler: getToken(token) });
  for (const id of ["token", "deviceAuthorization", "pushAuthorization"] as const)
    scope.route({ ...routeOf(operation(id)), handler: postForm(pathTo(id), token) });
  const ours = { ...oidc, policies, refuse };
  scope.route({ ...routeOf(operation("introspect")), handler: postIntrospect(ours) });
  scope.route({ ...routeOf(operation("revoke")), handler: postRevoke(ours) });
  const answerUserinfo = userinfo({ ...ours, claimTable: tableOf(() => schedule.settings), issuer });
  scope.route({ ...routeOf(operation("userinfo")), handler: answerUserinfo });
  scope.route({ ...routeOf(operation("userinfoPost")), handler: answerUserinfo });
}

/** Pages of the protocol: consent, device. */
export function registerOidcPages(app: FastifyInstance, oidc: OidcPagesDeps, login: LoginDeps): void {
  const { pages, gate, logger, audit } = login;
  const describe = (flow: FlowRecord, scope: string): ConsentScope =>
    describeScope(oidc.schedule.settings, flow.client?.id ?? "", scope);
  const deps = { pages, gate, audit, consent: oidc.finish, describe };
  const routes: readonly PageRoute[] = [
    servePage("consentPage", getConsent(deps)),
    servePage("consent", postConsent(deps)),
    ...deviceRoutes({ ...login, ...oidc, describe, current: () => oidc.generations.current() }),
  ];
  registerPageRoutes(app, routes, { pages, logger });
}
