import type { EventEmitter } from "node:events";
import { pathTo } from "@postern/shared/contracts";
import { tagged } from "@postern/shared/domain/region-calls";
import { type Configuration, errors, type JWK, type KoaContextWithOIDC, Provider } from "oidc-provider";
import { sessionStateOf } from "../../sessions/browser-state.ts";
import type { OidcAccount } from "../accounts/accounts-redis.ts";
import { type ClaimSources, claimsOf } from "../claims/claims.ts";
import { supportedClaims } from "../claims/client-claims.ts";
import { judgeEachAddress } from "../clients/address-rules.ts";
import { registrationRules } from "../clients/client-metadata.ts";
import { clientPolicyParams } from "../clients/client-policy.ts";
import { type ClientPolicies, type ClientPolicy, clientMetadata, matchesWildcard } from "../clients/clients.ts";
import { createLoadGrant } from "../grants/grants.ts";
import { allScopes, claimTable, type OidcSettings } from "../settings/oidc-settings.ts";
import { isRecord, textOf, wordsOf } from "../storage/models.ts";
import { extraTokenClaims, resourceIndicators } from "../tokens/access-tokens.ts";
import { shapeAnswers } from "./answers.ts";
import type { ProviderHooks } from "./hooks.ts";
import { interactionPrompts } from "./prompts.ts";
import { resumeOnce } from "./resume-once.ts";

/** The claims for a client that is no longer registered. */
const noSources: ClaimSources = { named: [], mappings: [] };

/** Whether the ID token is all that the client receives: without an access token it cannot ask for claims (Core §5.4). */
function isOnlyIdToken({ oidc }: KoaContextWithOIDC): boolean {
  return oidc.params?.["response_type"] === "id_token";
}

async function mayUse(
  { isWithin }: ProviderHooks["domains"],
  { account }: OidcAccount,
  policy: ClientPolicy | undefined,
): Promise<boolean> {
  return policy === undefined || isWithin(account, policy.limit);
}

/**
 * The account and its claims for an ID token: only those that the request or the client's mappings name, and those of the
 * scopes if no access token is issued. The provider adds the claims of the scopes where an access token has an audience,
 * although userinfo accepts such tokens here.
 */
function accountWithClaims(
  policies: ClientPolicies,
  { findAccount, reportUnreadable, keepClient, domains }: ProviderHooks,
): NonNullable<Configuration["findAccount"]> {
  return async (ctx, accountId, token) => {
    const ofToken = token !== undefined && "sessionUid" in token ? token.sessionUid : undefined;
    const account = await findAccount(accountId, ofToken ?? ctx.oidc.session?.uid);
    const clientId = ctx.oidc.client?.clientId ?? token?.clientId ?? "";
    const policy = policies.get(clientId);
    if (account === undefined || !(await mayUse(domains, account, policy))) return undefined;
    const claims = policy?.claims;
    return {
      accountId,
      claims: async (use, scope, named) => {
        const isAlone = use === "id_token" && isOnlyIdToken(ctx);
        // No access token is issued that would do it.
        if (isAlone) await keepClient(clientId);
        const released = new Set([...Object.keys(named), ...(isAlone ? (claims?.ofScopes(wordsOf(scope)) ?? []) : [])]);
        const described = await domains.withAttributes(account);
        const known = Object.entries(claimsOf(described, claims ?? noSources, reportUnreadable(clientId)));
        const kept = known.filter(([claim]) => use !== "id_token" || released.has(claim));
        return { ...Object.fromEntries(kept), sub: accountId };
      },
    };
  };
}

type Context = KoaContextWithOIDC;

/** The origin of the client's redirect URI; undefined for the schemes of native applications, which have none. */
function originOf({ oidc: { params } }: Context): string | undefined {
  const origin = URL.parse(textOf(params?.["redirect_uri"]) ?? "")?.origin;
  return origin === "null" ? undefined : origin;
}

/** Adds `session_state` to successful authorization responses, in every response mode. */
function addSessionState(provider: Provider, { browserStateCookies, nowSeconds }: ProviderHooks): void {
  // The provider writes the response after this event, from the same object.
  provider.on("authorization.success", (ctx: Context, response: unknown) => {
    const { session, client } = ctx.oidc;
    const origin = originOf(ctx);
    if (session === undefined || client === undefined || origin === undefined || !isRecord(response)) return;
    const { uid: sessionUid, exp } = session;
    const maxAge = session.transient === true ? undefined : Math.max(1, exp - nowSeconds());
    const cookies = browserStateCookies(sessionUid, maxAge);
    if (cookies === undefined) return;
    Reflect.set(response, "session_state", sessionStateOf({ clientId: client.clientId, origin, sessionUid }));
    for (const cookie of cookies) ctx.res.appendHeader("set-cookie", cookie);
  });
}

export interface ProviderInputs {
  readonly settings: OidcSettings;
  readonly policies: ClientPolicies;
  /** Private keys, in the order in which they sign. */
  readonly keys: readonly JWK[];
}

const codeSeconds = 60;
const flowSeconds = 600;

const routes = {
  authorization: pathTo("authorize"),
  token: pathTo("token"),
  userinfo: pathTo("userinfo"),
  introspection: pathTo("introspect"),
  jwks: pathTo("jwks"),
  end_session: pathTo("endSession"),
  device_authorization: pathTo("deviceAuthorization"),
  code_verification: pathTo("deviceCodePage"),
  pushed_authorization_request: pathTo("pushAuthorization"),
  revocation: pathTo("revoke"),
};

function lifetimes({ settings, policies }: ProviderInputs, hooks: ProviderHooks): Configuration["ttl"] {
  const { oidc } = settings;
  const accessSeconds = (clientId: string | undefined): number =>
    policies.get(clientId ?? "")?.accessTokenSeconds ?? Math.round(oidc.tokens.default_access_token_lifetime / 1000);
  const refreshSeconds = (clientId: string | undefined): number =>
    policies.get(clientId ?? "")?.refreshTokenSeconds ?? Math.round(oidc.tokens.default_refresh_token_lifetime / 1000);
  return {
    AccessToken: (_ctx, token, client) => token.resourceServer?.accessTokenTTL ?? accessSeconds(client.clientId),
    ClientCredentials: (_ctx, token, client) => token.resourceServer?.accessTokenTTL ?? accessSeconds(client.clientId),
    IdToken: (_ctx, _token, client) => accessSeconds(client.clientId),
    RefreshToken: (_ctx, _token, client) => refreshSeconds(client.clientId),
    AuthorizationCode: codeSeconds,
    DeviceCode: Math.round(oidc.device_flow.code_expiry / 1000),
    // Longer than any token of its family, so that none outlives it.
    Grant: (_ctx, grant) => refreshSeconds(grant.clientId) + accessSeconds(grant.clientId) + flowSeconds,
    Interaction: flowSeconds,
    PushedAuthorizationRequest: codeSeconds,
    // The rest of its absolute lifetime; only the cookie uses it.
    Session: (_ctx, session) => Math.max(1, (session.exp || 0) - hooks.nowSeconds()),
  };
}

function tokenRules({ policies }: ProviderInputs, hooks: Pick<ProviderHooks, "findSession">): Configuration {
  return {
    pkce: {
      required: (_ctx, client) => {
        const policy = policies.get(client.clientId);
        return policy === undefined || policy.isPublic || policy.config.require_pkce;
      },
    },
    issueRefreshToken: async (_ctx, client, source) => {
      if (!client.grantTypeAllowed("refresh_token")) return false;
      const isOffline =
        source.scopes.has("offline_access") ||
        policies.get(client.clientId)?.config.always_issue_refresh_token === true;
      if (!isOffline || !("sessionUid" in source) || source.sessionUid === undefined) return isOffline;
      // A code from the help desk is for one sign-in, which must not go on for months.
      return (await hooks.findSession(source.sessionUid))?.lostPhoneTs === undefined;
    },
    rotateRefreshToken: (ctx: KoaContextWithOIDC) =>
      policies.get(ctx.oidc.client?.clientId ?? "")?.rotatesRefreshTokens ?? true,
    // Ending a session revokes the grants of its clients, so that using a token need not look up the session.
    expiresWithSession: () => false,
  };
}

/** `typ` of signed tokens for verifiers that require another one than RFC 9068. */
function tokenFormats({ policies }: ProviderInputs): NonNullable<Configuration["formats"]> {
  return {
    customizers: {
      jwt: (_ctx, token, jwt) => {
        const policy = policies.get(token.clientId ?? "");
        const isUsers = "accountId" in token;
        // The provider uses the changed parts, not a return value.
        if (isUsers && policy?.config.access_token_typ === "JWT") jwt.header = { ...jwt.header, typ: "JWT" };
      },
    },
  };
}

function configuration(inputs: ProviderInputs, hooks: ProviderHooks): Configuration {
  const { settings, policies, keys } = inputs;
  const isSecure = settings.issuer.startsWith("https:");
  const cookie = { httpOnly: true, sameSite: "lax", signed: false, secure: isSecure, path: "/" } as const;
  return {
    ...tokenRules(inputs, hooks),
    ...registrationRules(settings),
    adapter: hooks.adapter,
    clients: [...policies.values()].map((policy) => clientMetadata(policy, settings)),
    jwks: { keys },
    routes,
    features: { ...registrationRules(settings).features, resourceIndicators: resourceIndicators(policies, settings) },
    ttl: lifetimes(inputs, hooks),
    scopes: allScopes(settings),
    claims: claimTable(settings),
    cookies: {
      names: { session: hooks.sessionCookie, interaction: "service_interaction", resume: "service_resume" },
      long: cookie,
      short: { httpOnly: true, sameSite: "lax", signed: false, secure: isSecure },
    },
    acrValues: ["pwd", "recovery", "mfa", "phr"],
    extraParams: clientPolicyParams(policies),
    formats: tokenFormats(inputs),
    extraTokenClaims: extraTokenClaims({ ...hooks, policies }),
    findAccount: accountWithClaims(policies, hooks),
    interactions: { policy: interactionPrompts(policies, hooks), url: hooks.interactionUrl },
    loadExistingGrant: createLoadGrant(policies, hooks.hasConsented),
    renderError: hooks.renderError,
    acceptQueryParamAccessTokens: false,
    allowOmittingSingleRegisteredRedirectUri: false,
    clientBasedCORS: (_ctx, origin, client) =>
      (client.redirectUris ?? []).some((uri) => URL.parse(uri)?.origin === origin),
  };
}

function allowWildcards(provider: Provider): void {
  const { prototype } = provider.Client;
  const exact: unknown = Reflect.get(prototype, "redirectUriAllowed");
  if (typeof exact !== "function") throw new TypeError("redirectUriAllowed is not a method");
  prototype.redirectUriAllowed = function allowed(uri) {
    const isExact: unknown = Reflect.apply(exact, this, [uri]);
    return isExact === true || (this.redirectUris ?? []).some((registered) => matchesWildcard(registered, uri));
  };
}

/** RFC 6749 §4.1.2.1: `unauthorized_client` where the provider answers `invalid_request`. */
function nameUnauthorized(provider: Provider): void {
  const { prototype } = provider.Client;
  const isAllowed: unknown = Reflect.get(prototype, "responseTypeAllowed");
  if (typeof isAllowed !== "function") throw new TypeError("responseTypeAllowed is not a method");
  prototype.responseTypeAllowed = function allowed(type) {
    const answer: unknown = Reflect.apply(isAllowed, this, [type]);
    if (answer !== true) throw new errors.UnauthorizedClient("the client may not use this response type");
    return true;
  };
}

/** Every ID token contains `sid`, so that a logout request names its session. */
function nameSessions(provider: Provider): void {
  provider.Client.prototype.includeSid = () => true;
}

/** Codes and tokens name the region that keeps their records, if there are several. */
function nameRegion(provider: Provider, region: string | undefined): void {
  if (region === undefined) return;
  const { AuthorizationCode, AccessToken, ClientCredentials, RefreshToken, DeviceCode } = provider;
  const { PushedAuthorizationRequest } = provider;
  const tokens = [AccessToken, ClientCredentials, RefreshToken];
  for (const { prototype } of [...tokens, AuthorizationCode, DeviceCode, PushedAuthorizationRequest]) {
    const generate: unknown = Reflect.get(prototype, "generateTokenId");
    if (typeof generate !== "function") throw new TypeError("generateTokenId is not a method");
    const named = function named(this: unknown): string {
      return tagged(region, String(Reflect.apply(generate, this, [])));
    };
    Reflect.set(prototype, "generateTokenId", named);
  }
}

/** The only place that creates a provider. It is immutable: other clients or keys require a new one. */
export function createProvider(inputs: ProviderInputs, hooks: ProviderHooks): Provider {
  const provider = new Provider(inputs.settings.issuer, configuration(inputs, hooks));
  provider.proxy = true;
  // Outside: it keeps and repeats what the browser receives.
  resumeOnce(provider, hooks);
  const sources = [...inputs.policies.values()].map(({ claims }) => claims);
  shapeAnswers(provider, hooks, supportedClaims(inputs.settings, sources));
  addSessionState(provider, hooks);
  judgeEachAddress(provider);
  nameUnauthorized(provider);
  nameSessions(provider);
  nameRegion(provider, hooks.region);
  if (inputs.settings.developerMode) allowWildcards(provider);
  const koa: EventEmitter = provider;
  koa.on("error", (error: unknown) => hooks.onError("error", error));
  provider.on("server_error", (ctx, error) => hooks.onError("server_error", error, ctx));
  provider.on("grant.error", (ctx, error) => hooks.onError("grant.error", error, ctx));
  for (const event of ["authorization.error", "pushed_authorization_request.error", "device_authorization.error"]) {
    koa.on(event, (ctx: KoaContextWithOIDC, error: unknown) => hooks.onError(event, error, ctx));
  }
  provider.on("grant.success", (ctx) => hooks.onGrant(ctx.oidc.params?.["grant_type"], "issued"));
  koa.on("authorization.success", (_ctx, response: unknown) => {
    if (isRecord(response) && typeof response["id_token"] === "string") hooks.onGrant("implicit", "issued");
  });
  provider.on("grant.error", (ctx) => hooks.onGrant(ctx.oidc?.params?.["grant_type"], "refused"));
  return provider;
}
