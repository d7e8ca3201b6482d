import type { EventEmitter } from "node:events";
import {
  type AdapterFactory,
  type Configuration,
  errors,
  type JWK,
  type KoaContextWithOIDC,
  Provider,
} from "oidc-provider";
import { type AccessTokenDeps, clientResourceOf, extraTokenClaims, resourceIndicators } from "./access-tokens.ts";
import type { OidcAccount } from "./accounts.ts";
import { type AnswerDeps, shapeAnswers } from "./answers.ts";
import { claimsOf } from "./claims.ts";
import { longestAssertionSeconds } from "./client-auth.ts";
import { clientPolicyParams } from "./client-policy.ts";
import { type ClientPolicies, clientMetadata, matchesWildcard } from "./clients.ts";
import { createLoadGrant, type GrantDeps } from "./grants.ts";
import { allScopes, claimTable, type OidcSettings } from "./oidc-settings.ts";
import { interactionPrompts, type PromptDeps } from "./prompts.ts";
import { referenceHeader } from "./request-reference.ts";

type InteractionUrl = NonNullable<NonNullable<Configuration["interactions"]>["url"]>;

/** What the protocol core asks of us, the same for every generation. */
export interface ProviderHooks
  extends AnswerDeps,
    Pick<AccessTokenDeps, "epochOf" | "record" | "accountOf">,
    Pick<GrantDeps, "hasConsented">,
    PromptDeps {
  readonly adapter: AdapterFactory;
  readonly sessionCookie: string;
  readonly interactionUrl: InteractionUrl;
  readonly findAccount: (accountId: string, sessionUid: string | undefined) => Promise<OidcAccount | undefined>;
  readonly renderError: NonNullable<Configuration["renderError"]>;
  /** `session` names the request. */
  readonly onError: (event: string, error: unknown, session?: string) => void;
  readonly onGrant: (grantType: unknown, result: "issued" | "refused") => void;
}

/** What makes one generation different from the next. */
export interface ProviderInputs {
  readonly settings: OidcSettings;
  readonly policies: ClientPolicies;
  /** Private keys, in the order in which they sign. */
  readonly keys: readonly JWK[];
}

const codeSeconds = 60;
const flowSeconds = 600;
const signatures = ["RS256", "PS256", "ES256", "EdDSA"] as const;

const routes = {
  authorization: "/oidc/authorize",
  token: "/oidc/token",
  userinfo: "/oidc/userinfo",
  introspection: "/oidc/introspect",
  jwks: "/oidc/jwks",
  end_session: "/oidc/logout",
  device_authorization: "/oidc/device",
  code_verification: "/oidc/device/verify",
  pushed_authorization_request: "/oidc/par",
  revocation: "/oidc/revoke",
};

function features({ settings, policies }: ProviderInputs, hooks: ProviderHooks): Configuration["features"] {
  const { identifier, oidc } = settings;
  return {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    introspection: { enabled: true },
    revocation: { enabled: true },
    deviceFlow: {
      enabled: true,
      charset: "base-20",
      mask: "*".repeat(oidc.device_flow.user_code_length).replace(/(.{4})(?=.)/g, "$1-"),
    },
    rpInitiatedLogout: { enabled: true },
    backchannelLogout: { enabled: oidc.logout.back_channel_supported },
    claimsParameter: { enabled: true },
    pushedAuthorizationRequests: { enabled: true },
    dPoP: { enabled: true },
    resourceIndicators: resourceIndicators({
      policies,
      backchannelAudience: `${identifier}:backchannel`,
      clientResource: (clientId) => clientResourceOf(identifier, clientId),
      epochOf: hooks.epochOf,
      record: hooks.record,
      accountOf: hooks.accountOf,
    }),
  };
}

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
    // What is left of its absolute life; only the cookie takes it.
    Session: (_ctx, session) => Math.max(1, (session.exp || 0) - hooks.nowSeconds()),
  };
}

/** Mappings that count for a client: those of its ID tokens. */
function createFindAccount(
  { policies }: ProviderInputs,
  hooks: ProviderHooks,
): NonNullable<Configuration["findAccount"]> {
  return async (ctx, accountId, token) => {
    const ofToken = token !== undefined && "sessionUid" in token ? token.sessionUid : undefined;
    const account = await hooks.findAccount(accountId, ofToken ?? ctx.oidc.session?.uid);
    if (account === undefined) return undefined;
    const clientId = ctx.oidc.client?.clientId ?? token?.clientId ?? "";
    const mappings = policies.get(clientId)?.config.id_token_claims.mappings ?? [];
    return { accountId, claims: () => ({ ...claimsOf(account, mappings), sub: accountId }) };
  };
}

function tokenRules({ policies }: ProviderInputs): Configuration {
  return {
    pkce: {
      required: (_ctx, client) => {
        const policy = policies.get(client.clientId);
        return policy === undefined || policy.isPublic || policy.config.require_pkce;
      },
    },
    issueRefreshToken: (_ctx, client, source) => {
      if (!client.grantTypeAllowed("refresh_token")) return false;
      return (
        source.scopes.has("offline_access") || policies.get(client.clientId)?.config.always_issue_refresh_token === true
      );
    },
    rotateRefreshToken: (ctx: KoaContextWithOIDC) =>
      policies.get(ctx.oidc.client?.clientId ?? "")?.rotatesRefreshTokens ?? true,
    // Killing a session revokes the grants of its clients, so that no use of a token has to look for the session.
    expiresWithSession: () => false,
  };
}

/** `typ` of signed tokens where a verifier wants another than RFC 9068's. */
function tokenFormats({ policies }: ProviderInputs): NonNullable<Configuration["formats"]> {
  return {
    customizers: {
      jwt: (_ctx, token, jwt) => {
        const policy = policies.get(token.clientId ?? "");
        const isUsers = "accountId" in token;
        // The provider takes the changed parts, not an answer.
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
    ...tokenRules(inputs),
    adapter: hooks.adapter,
    clients: settings.oidc.clients.map((client) => clientMetadata(client)),
    jwks: { keys },
    routes,
    features: features(inputs, hooks),
    ttl: lifetimes(inputs, hooks),
    scopes: allScopes(settings),
    claims: claimTable(settings),
    cookies: {
      names: { session: hooks.sessionCookie, interaction: "service_interaction", resume: "service_resume" },
      long: cookie,
      short: { httpOnly: true, sameSite: "lax", signed: false, secure: isSecure },
    },
    acrValues: ["pwd", "recovery", "mfa", "phr"],
    responseTypes: ["code"],
    clientAuthMethods: ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"],
    enabledJWA: {
      idTokenSigningAlgValues: signatures,
      clientAuthSigningAlgValues: signatures,
      dPoPSigningAlgValues: signatures,
    },
    clientDefaults: { id_token_signed_response_alg: "RS256" },
    extraParams: clientPolicyParams(policies),
    formats: tokenFormats(inputs),
    extraTokenClaims: extraTokenClaims({
      policies,
      backchannelAudience: `${settings.identifier}:backchannel`,
      clientResource: (clientId) => clientId,
      epochOf: hooks.epochOf,
      record: hooks.record,
      accountOf: hooks.accountOf,
    }),
    findAccount: createFindAccount(inputs, hooks),
    interactions: { policy: interactionPrompts(policies, hooks), url: hooks.interactionUrl },
    loadExistingGrant: createLoadGrant({ policies, hasConsented: hooks.hasConsented }),
    renderError: hooks.renderError,
    acceptQueryParamAccessTokens: false,
    allowOmittingSingleRegisteredRedirectUri: false,
    clientBasedCORS: (_ctx, origin, client) =>
      (client.redirectUris ?? []).some((uri) => URL.parse(uri)?.origin === origin),
    assertJwtClientAuthClaimsAndHeader: (_ctx, claims) => {
      const { exp } = claims;
      if (typeof exp !== "number" || exp > hooks.nowSeconds() + longestAssertionSeconds) {
        throw new errors.InvalidClientAuth("the assertion lives too long");
      }
    },
  };
}

/** Every provider has a class of clients of its own, whose method the library's own certification replaces like this. */
function allowWildcards(provider: Provider): void {
  const { prototype } = provider.Client;
  const exact: unknown = Reflect.get(prototype, "redirectUriAllowed");
  if (typeof exact !== "function") throw new TypeError("redirectUriAllowed is no method");
  prototype.redirectUriAllowed = function allowed(uri) {
    const isExact: unknown = Reflect.apply(exact, this, [uri]);
    return isExact === true || (this.redirectUris ?? []).some((registered) => matchesWildcard(registered, uri));
  };
}

/** The only place that makes a provider. It is immutable: other clients or keys are another one. */
export function createProvider(inputs: ProviderInputs, hooks: ProviderHooks): Provider {
  const provider = new Provider(inputs.settings.issuer, configuration(inputs, hooks));
  provider.proxy = true;
  shapeAnswers(provider, hooks);
  if (inputs.settings.developerMode) allowWildcards(provider);
  const koa: EventEmitter = provider;
  koa.on("error", (error: unknown) => hooks.onError("error", error));
  provider.on("server_error", (ctx, error) => hooks.onError("server_error", error, ctx.get(referenceHeader)));
  provider.on("grant.error", (ctx, error) => hooks.onError("grant.error", error, ctx.get(referenceHeader)));
  provider.on("authorization.error", (ctx, error) =>
    hooks.onError("authorization.error", error, ctx.get(referenceHeader)),
  );
  provider.on("grant.success", (ctx) => hooks.onGrant(ctx.oidc.params?.["grant_type"], "issued"));
  provider.on("grant.error", (ctx) => hooks.onGrant(ctx.oidc?.params?.["grant_type"], "refused"));
  return provider;
}
