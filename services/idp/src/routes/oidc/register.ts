import type { FastifyInstance } from "fastify";
import type { OidcContext } from "../../context/oidc.ts";
import type { FlowRecord } from "../../flow/flow-record.ts";
import { describeScope } from "../../oidc/consent-scopes.ts";
import { claimTable, type OidcSettings } from "../../oidc/oidc-settings.ts";
import type { Pages } from "../../pages/pages.ts";
import type { ConsentScope } from "../../pages/templates/consent.ts";
import { getConsent, postConsent } from "../consent.ts";
import type { LoginDeps } from "../login/deps.ts";
import { type PageRoute, registerPageRoutes } from "../page-routes.ts";
import { getAuthorize, getAuthorizeSegment, postAuthorize } from "./authorize.ts";
import { deviceRoutes } from "./device.ts";
import { parseForms } from "./form.ts";
import { postIntrospect } from "./post-introspect.ts";
import { postRevoke } from "./post-revoke.ts";
import { getToken, postForm } from "./token.ts";
import { userinfo } from "./userinfo.ts";

/** Pages of other origins may ask there; which, the provider says (CORS). */
const crossOrigin = [
  "/oidc/token",
  "/oidc/userinfo",
  "/oidc/revoke",
  "/oidc/par",
  "/oidc/device",
  "/oidc/jwks",
  "/.well-known/openid-configuration",
];

/** The table of the settings in force, made anew when they change: it is asked for at each userinfo request. */
function tableOf(settings: () => OidcSettings): () => ReturnType<typeof claimTable> {
  let known = { of: settings(), table: claimTable(settings()) };
  return () => {
    const now = settings();
    if (known.of !== now) known = { of: now, table: claimTable(now) };
    return known.table;
  };
}

/** The protocol's own routes (contract, "Identity provider: OIDC"); its pages are elsewhere. */
export function registerOidcRoutes(scope: FastifyInstance, oidc: OidcContext, pages: Pages | undefined): void {
  const { bridge, generations, schedule, issuer } = oidc;
  const current = () => generations.current();
  const policies = () => current().policies;
  parseForms(scope);
  for (const path of ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server", "/oidc/jwks"]) {
    scope.get(path, (request, reply) => bridge.pass(request, reply));
  }
  for (const path of crossOrigin) {
    scope.options(path, (request, reply) => bridge.pass(request, reply));
  }
  const authorize = { bridge, pages, logger: oidc.logger };
  scope.get("/oidc/authorize", getAuthorize(authorize));
  scope.get("/oidc/authorize/:segment", getAuthorizeSegment(authorize));
  scope.post("/oidc/authorize", postAuthorize(authorize));
  const token = { ...oidc, current };
  scope.get("/oidc/token", getToken(token));
  for (const path of ["/oidc/token", "/oidc/device", "/oidc/par"]) scope.post(path, postForm(path, token));
  const ours = { ...oidc, policies };
  scope.post("/oidc/introspect", postIntrospect(ours));
  scope.post("/oidc/revoke", postRevoke(ours));
  const answerUserinfo = userinfo({ ...ours, claimTable: tableOf(() => schedule.settings), issuer });
  scope.get("/oidc/userinfo", answerUserinfo);
  scope.post("/oidc/userinfo", answerUserinfo);
}

/** Pages of the protocol (contract): consent, logout. */
export function registerOidcPages(app: FastifyInstance, oidc: OidcContext, login: LoginDeps): void {
  const { pages, gate, logger, audit } = login;
  const describe = (flow: FlowRecord, scope: string): ConsentScope =>
    describeScope(oidc.schedule.settings, flow.client?.id ?? "", scope);
  const deps = { pages, gate, audit, consent: oidc.finish, describe };
  const path = "/oidc/consent";
  const routes: readonly PageRoute[] = [
    { method: "GET", path, handler: getConsent(deps) },
    { method: "POST", path, handler: postConsent(deps) },
    ...deviceRoutes({ ...login, ...oidc, describe, current: () => oidc.generations.current() }),
  ];
  registerPageRoutes(app, routes, { pages, logger });
}
