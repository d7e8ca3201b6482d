import { operation } from "@postern/shared/contracts";
import { routeOf } from "@postern/shared/platform/http";
import type { Logger } from "@postern/shared/platform/logging";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ConsentEnd } from "../flow/flow-port.ts";
import type { FlowRecord } from "../flow/flow-record.ts";
import type { Pages } from "../pages/pages.ts";
import type { ConsentScope } from "../pages/templates/consent.ts";
import type { VisitContext as LoginDeps } from "../visit/context.ts";
import { type PageRoute, registerPageRoutes, servePage } from "../visit/page-routes.ts";
import { getAuthorize, getAuthorizeSegment, postAuthorize, type SegmentParams } from "./authorize/authorize.ts";
import { describeScope, getConsent, postConsent } from "./authorize/consent.ts";
import { scopesForClaims } from "./claims/client-claims.ts";
import type { ConsoleClaims } from "./claims/console-claims.ts";
import type { AuthenticateClient } from "./clients/client-auth.ts";
import type { DeviceCodes } from "./device/device.ts";
import type { DeviceLimits } from "./device/device-limits-redis.ts";
import { deviceRoutes } from "./device/device-pages.ts";
import { parseForms } from "./http/form.ts";
import { createRefuseClient } from "./http/replies.ts";
import { getCheckSession } from "./logout/check-session.ts";
import type { OidcMetrics } from "./metrics/oidc-metrics.ts";
import type { Bridge } from "./provider/bridge.ts";
import type { Generations } from "./provider/generation.ts";
import type { KeySchedule } from "./provider/key-schedule.ts";
import type { ManageClient } from "./registration/manage-client.ts";
import type { RegisterClient } from "./registration/register-client.ts";
import type { RegisteredClients } from "./registration/registered-clients.ts";
import type { RequestObjects } from "./request-objects/unpack-request.ts";
import { mailResources } from "./settings/mail-resources.ts";
import { wordsOf } from "./storage/json.ts";
import type { OidcStore } from "./storage/store.ts";
import { postIntrospect } from "./token/introspect.ts";
import { postRevoke } from "./token/revoke.ts";
import { getToken, postForm } from "./token/token.ts";
import { createSignUserinfo, getUserinfo } from "./token/userinfo.ts";
import type { CheckProof } from "./tokens/dpop.ts";
import type { ResolveToken } from "./tokens/resolve-token.ts";
import type { TokenRecords } from "./tokens/token-records.ts";
import type { ReportUnreadable } from "./tokens/unreadable-claims.ts";

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
  // The protocol core writes these documents; `oidc/provider/answers.ts` adds members, and `oidc/keys/signing-keys.ts` rotates the keys.
  const pass = (request: FastifyRequest, reply: FastifyReply): FastifyReply => bridge.pass(request, reply);
  scope.route({ ...routeOf(operation("discovery")), handler: pass });
  scope.route({ ...routeOf(operation("authorizationServerMetadata")), handler: pass });
  scope.route({ ...routeOf(operation("jwks")), handler: pass });
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
  scope.route({ ...routeOf(operation("token")), handler: postForm("token", token) });
  scope.route({ ...routeOf(operation("deviceAuthorization")), handler: postForm("deviceAuthorization", token) });
  scope.route({ ...routeOf(operation("pushAuthorization")), handler: postForm("pushAuthorization", token) });
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

/** What the OIDC endpoints need. */
export interface OidcRoutesDeps {
  readonly issuer: string;
  readonly bridge: Bridge;
  readonly generations: Generations;
  readonly schedule: KeySchedule;
  readonly authenticate: AuthenticateClient;
  readonly requestObjects: RequestObjects;
  readonly store: Pick<OidcStore, "find">;
  readonly records: Pick<TokenRecords, "revokeToken" | "revokeGrant">;
  readonly resolve: ResolveToken;
  readonly checkProof: CheckProof;
  readonly digestOf: (id: string) => string;
  readonly reportUnreadable: ReportUnreadable;
  readonly consoleClaims: ConsoleClaims;
  readonly logger: Logger;
  readonly registered: Pick<RegisteredClients, "load">;
  readonly registerClient: RegisterClient;
  readonly manageClient: ManageClient;
  readonly metrics: OidcMetrics;
}

/** What the consent and device pages of OIDC need. */
export interface OidcPagesDeps extends Pick<OidcRoutesDeps, "generations" | "schedule"> {
  readonly finish: ConsentEnd;
  readonly devices: DeviceCodes;
  readonly deviceLimits: Pick<DeviceLimits, "mayGuess">;
}
