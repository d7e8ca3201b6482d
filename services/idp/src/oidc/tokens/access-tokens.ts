import type { TokenSubject } from "@postern/shared/domain/tokens";
import { type Configuration, errors, type KoaContextWithOIDC, type ResourceServer } from "oidc-provider";
import type { OidcAccount } from "../accounts/accounts-redis.ts";
import { mappedClaims } from "../claims/claims.ts";
import type { ReportUnreadable } from "../claims/client-claims.ts";
import type { ClientPolicies, ClientPolicy } from "../clients/clients.ts";
import { oidcSignatures } from "../settings/client-profile.ts";
import type { OidcSettings } from "../settings/oidc-settings.ts";
import { wordsOf } from "../storage/models.ts";
import { tokenSource } from "./token-origin.ts";

export interface AccessTokenDeps {
  readonly policies: ClientPolicies;
  /** The epoch of the subject's tokens; tokens of a lower epoch are revoked. */
  readonly epochOf: (subject: TokenSubject) => Promise<number>;
  /** The account that claims are taken from. */
  readonly accountOf: (accountId: string) => Promise<OidcAccount | undefined>;
  readonly reportUnreadable: ReportUnreadable;
  /** Extends the registration of a client that registered itself. */
  readonly keepClient: (clientId: string) => Promise<void>;
  /** Stores the record of a signed token before the token is issued. */
  readonly record: (token: IssuedJwt, epoch: number) => Promise<void>;
}

/** The resource that represents a client whose users receive signed tokens. */
export function clientResourceOf(identifier: string, clientId: string): string {
  return `${identifier}:client:${encodeURIComponent(clientId)}`;
}

/** A signed access token, as its record stores it. */
export interface IssuedJwt {
  readonly jti: string;
  readonly kind: string;
  readonly clientId: string;
  readonly accountId?: string | undefined;
  readonly scope?: string | undefined;
  readonly aud?: string | undefined;
  readonly grantId?: string | undefined;
  readonly sessionUid?: string | undefined;
  readonly jkt?: string | undefined;
  readonly "x5t#S256"?: string | undefined;
  readonly claims?: unknown;
  /** How it was granted, as the provider stores it in opaque tokens. */
  readonly gty?: string | undefined;
  readonly lifeSeconds: number;
}

function isClientCredentials(ctx: KoaContextWithOIDC): boolean {
  return ctx.oidc.params?.["grant_type"] === "client_credentials";
}

/** Scope of a client's own token: the requested and the implied scopes; an empty scope is refused (RFC 6749 §3.3). */
function ownScope(ctx: KoaContextWithOIDC, policy: ClientPolicy): string {
  const scopes = [...new Set([...wordsOf(ctx.oidc.params?.["scope"]), ...policy.config.implied_scopes])];
  if (scopes.length === 0) throw new errors.InvalidScope("scope is missing", "");
  const scope = allowedScope(scopes, policy);
  if (ctx.oidc.params !== undefined) ctx.oidc.params["scope"] = scope;
  return scope;
}

function allowedScope(scopes: readonly string[], policy: ClientPolicy): string {
  if (scopes.includes("openid"))
    throw new errors.InvalidScope("openid is not available with client credentials", "openid");
  const foreign = scopes.find((scope) => !policy.scopes.has(scope));
  if (foreign !== undefined) throw new errors.InvalidScope("requested scope is not allowed", foreign);
  return scopes.join(" ");
}

type ResourceIndicators = NonNullable<NonNullable<Configuration["features"]>["resourceIndicators"]>;

/** Which tokens are signed, for which audience and how: clients' own tokens, and users' tokens where the client is configured so. */
export function resourceIndicators(
  policies: ClientPolicies,
  { identifier, backchannelAudience }: OidcSettings,
): ResourceIndicators {
  // The resource that represents our own API; an absolute URI, which its audience need not be.
  const backchannelResource = `${identifier}:backchannel`;
  const clientResource = (clientId: string): string => clientResourceOf(identifier, clientId);
  return {
    enabled: true,
    defaultResource: (ctx, client) => {
      if (isClientCredentials(ctx)) return backchannelResource;
      const policy = policies.get(client.clientId);
      const hasResource = policy?.accessTokenType === "jwt" || policy?.audience !== undefined;
      return hasResource ? clientResource(client.clientId) : undefined;
    },
    getResourceServerInfo: (ctx, resource, client): ResourceServer => {
      const policy = policies.get(client.clientId);
      if (policy === undefined) throw new errors.InvalidTarget();
      const isOwn = resource === backchannelResource;
      if (isOwn !== isClientCredentials(ctx) || (!isOwn && resource !== clientResource(client.clientId))) {
        throw new errors.InvalidTarget();
      }
      const alg = oidcSignatures.find((name) => name === policy.signature) ?? "RS256";
      return {
        scope: isOwn ? ownScope(ctx, policy) : [...policy.scopes].join(" "),
        audience: isOwn ? backchannelAudience : (policy.audience ?? client.clientId),
        accessTokenTTL: policy.accessTokenSeconds,
        ...(isOwn || policy.accessTokenType === "jwt"
          ? { accessTokenFormat: "jwt", jwt: { sign: { alg } } }
          : { accessTokenFormat: "opaque" }),
      };
    },
    useGrantedResource: () => true,
  };
}

/**
 * The claims that the site maps into a client's access tokens, and the account name if the subject differs: mail servers
 * find the mailbox by it.
 */
async function claimsFor(
  { policies, accountOf, reportUnreadable }: AccessTokenDeps,
  clientId: string,
  { accountId, scope }: { readonly accountId: string; readonly scope?: string | undefined },
) {
  const mappings = policies.get(clientId)?.claims.accessTokenMappings(wordsOf(scope)) ?? [];
  const account = await accountOf(accountId);
  if (account === undefined) return undefined;
  const name = account.account === accountId ? undefined : { preferred_username: account.account };
  return { ...name, ...mappedClaims(account, mappings, {}, reportUnreadable(clientId)) };
}

type SignedToken = Parameters<NonNullable<Configuration["extraTokenClaims"]>>[1];

function factsOf(token: SignedToken, clientId: string): IssuedJwt {
  const { jti, kind, scope, aud, jkt, expiration: lifeSeconds } = token;
  const { "x5t#S256": thumbprint } = token;
  const facts = {
    jti,
    kind,
    clientId,
    scope,
    aud: typeof aud === "string" ? aud : undefined,
    jkt,
    "x5t#S256": thumbprint,
    lifeSeconds,
  };
  if (!("accountId" in token)) return facts;
  const { accountId, grantId, sessionUid, gty } = token;
  // The provider keeps the claims that the request named only in tokens without an audience.
  return { ...facts, accountId, grantId, sessionUid, gty, claims: token.claims ?? tokenSource()?.["claims"] };
}

/** The sign-in behind a user's token (RFC 9068 §2.2.1). */
function signInClaims(): Readonly<Record<string, unknown>> {
  const { authTime, acr, amr } = tokenSource() ?? {};
  return {
    ...(typeof authTime === "number" && { auth_time: authTime }),
    ...(typeof acr === "string" && { acr }),
    ...(Array.isArray(amr) && { amr }),
  };
}

/** Claims of signed tokens beyond the provider's own. Stores the record first: without a record no token is issued. */
export function extraTokenClaims(deps: AccessTokenDeps): NonNullable<Configuration["extraTokenClaims"]> {
  return async (_ctx, token) => {
    const { clientId, resourceServer } = token;
    if (clientId === undefined) return undefined;
    // Before the token exists: a registration that expires with its tokens alive would lock its users out.
    await deps.keepClient(clientId);
    if (resourceServer?.accessTokenFormat !== "jwt") return undefined;
    const id = "accountId" in token ? token.accountId : undefined;
    const epoch = await deps.epochOf(id === undefined ? { kind: "client", id: clientId } : { kind: "user", id });
    await deps.record(factsOf(token, clientId), epoch);
    const mapped =
      id === undefined ? undefined : await claimsFor(deps, clientId, { accountId: id, scope: token.scope });
    const signIn = id === undefined ? undefined : signInClaims();
    return { ...mapped, ...signIn, token_type: "access_token", ...(epoch > 0 && { epoch }) };
  };
}
