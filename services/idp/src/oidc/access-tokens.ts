import type { TokenSubject } from "@postern/shared/tokens";
import {
  type AsymmetricSigningAlgorithm,
  type Configuration,
  errors,
  type KoaContextWithOIDC,
  type ResourceServer,
} from "oidc-provider";
import type { OidcAccount } from "./accounts.ts";
import { mappedClaims } from "./claims.ts";
import type { ClientPolicies, ClientPolicy } from "./clients.ts";
import { wordsOf } from "./json.ts";

export interface AccessTokenDeps {
  readonly policies: ClientPolicies;
  /** Audience of tokens for our own API: `<identifier>:backchannel`. */
  readonly backchannelAudience: string;
  readonly clientResource: (clientId: string) => string;
  /** Of the subject's tokens; those of a lower one are dead. */
  readonly epochOf: (subject: TokenSubject) => Promise<number>;
  /** What its claims are made of. */
  readonly accountOf: (accountId: string) => Promise<OidcAccount | undefined>;
  /** Keeps what a signed token stands for, before it leaves. */
  readonly record: (token: IssuedJwt, epoch: number) => Promise<void>;
}

/** The resource that a client whose users get signed tokens stands for. */
export function clientResourceOf(identifier: string, clientId: string): string {
  return `${identifier}:client:${encodeURIComponent(clientId)}`;
}

/** A signed access token, as its record keeps it. */
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
  readonly claims?: unknown;
  readonly lifeSeconds: number;
}

const signatures: readonly AsymmetricSigningAlgorithm[] = ["RS256", "PS256", "ES256", "EdDSA"];

function isClientCredentials(ctx: KoaContextWithOIDC): boolean {
  return ctx.oidc.params?.["grant_type"] === "client_credentials";
}

/** Of a client for itself: what it asks for and what it has without asking; nothing at all is refused (RFC 6749 §3.3). */
function ownScope(ctx: KoaContextWithOIDC, policy: ClientPolicy): string {
  const asked = [...new Set([...wordsOf(ctx.oidc.params?.["scope"]), ...policy.config.implied_scopes])];
  if (asked.length === 0) throw new errors.InvalidScope("scope is missing", "");
  const scope = allowedScope(asked, policy);
  if (ctx.oidc.params !== undefined) ctx.oidc.params["scope"] = scope;
  return scope;
}

function allowedScope(asked: readonly string[], policy: ClientPolicy): string {
  if (asked.includes("openid")) throw new errors.InvalidScope("openid is for users", "openid");
  const foreign = asked.find((scope) => !policy.scopes.has(scope));
  if (foreign !== undefined) throw new errors.InvalidScope("requested scope is not allowed", foreign);
  return asked.join(" ");
}

type ResourceIndicators = NonNullable<NonNullable<Configuration["features"]>["resourceIndicators"]>;

/** Which tokens are signed, for whom, and with what: those of clients themselves, and of users where the client asks. */
export function resourceIndicators(deps: AccessTokenDeps): ResourceIndicators {
  const { policies, backchannelAudience, clientResource } = deps;
  return {
    enabled: true,
    defaultResource: (ctx, client) => {
      if (isClientCredentials(ctx)) return backchannelAudience;
      const isJwt = policies.get(client.clientId)?.accessTokenType === "jwt";
      return isJwt ? clientResource(client.clientId) : undefined;
    },
    getResourceServerInfo: (ctx, resource, client): ResourceServer => {
      const policy = policies.get(client.clientId);
      if (policy === undefined) throw new errors.InvalidTarget();
      const isOwn = resource === backchannelAudience;
      if (isOwn !== isClientCredentials(ctx) || (!isOwn && resource !== clientResource(client.clientId))) {
        throw new errors.InvalidTarget();
      }
      const alg = signatures.find((name) => name === policy.signature) ?? "RS256";
      return {
        scope: isOwn ? ownScope(ctx, policy) : [...policy.scopes].join(" "),
        audience: isOwn ? backchannelAudience : client.clientId,
        accessTokenTTL: policy.accessTokenSeconds,
        accessTokenFormat: "jwt",
        jwt: { sign: { alg } },
      };
    },
    useGrantedResource: () => true,
  };
}

/** What the site maps into a client's access tokens. */
async function claimsFor({ policies, accountOf }: AccessTokenDeps, clientId: string, accountId: string) {
  const mappings = policies.get(clientId)?.config.access_token_claims.mappings ?? [];
  const account = mappings.length === 0 ? undefined : await accountOf(accountId);
  return account === undefined ? undefined : mappedClaims(account, mappings);
}

type SignedToken = Parameters<NonNullable<Configuration["extraTokenClaims"]>>[1];

function factsOf(token: SignedToken, clientId: string): IssuedJwt {
  const { jti, kind, scope, aud, jkt, expiration: lifeSeconds } = token;
  const facts = { jti, kind, clientId, scope, aud: typeof aud === "string" ? aud : undefined, jkt, lifeSeconds };
  if (!("accountId" in token)) return facts;
  const { accountId, grantId, sessionUid, claims } = token;
  return { ...facts, accountId, grantId, sessionUid, claims };
}

/** Claims of signed tokens beyond the provider's own. Records the token first: without a record it is not issued. */
export function extraTokenClaims(deps: AccessTokenDeps): NonNullable<Configuration["extraTokenClaims"]> {
  return async (_ctx, token) => {
    if (token.resourceServer === undefined) return undefined;
    const { clientId } = token;
    if (clientId === undefined) return undefined;
    const user = "accountId" in token ? token : undefined;
    const id = user?.accountId;
    const epoch = await deps.epochOf(id === undefined ? { kind: "client", id: clientId } : { kind: "user", id });
    await deps.record(factsOf(token, clientId), epoch);
    const mapped = user?.accountId === undefined ? undefined : await claimsFor(deps, clientId, user.accountId);
    return { ...mapped, token_type: "access_token", ...(epoch > 0 && { epoch }) };
  };
}
