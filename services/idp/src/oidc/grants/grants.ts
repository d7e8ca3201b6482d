import type { Clock } from "@postern/shared/platform/time";
import { type Configuration, errors, type KoaContextWithOIDC, Provider } from "oidc-provider";
import type { OidcAccounts } from "../accounts/accounts-redis.ts";
import { scopesForClaims } from "../claims/client-claims.ts";
import { asksEachTime } from "../clients/address-rules.ts";
import type { ClientPolicies } from "../clients/clients.ts";
import { digestOfId, textOf } from "../storage/models.ts";
import type { RecordTimes } from "../storage/record-times.ts";
import type { OidcStore } from "../storage/store-redis.ts";

/**
 * Extends a grant and its account so that they outlive a token of this lifetime, which is about to be issued: a chain of
 * refreshes lives as long as it is used. Rejects with `invalid_grant` if the grant was revoked in the meantime.
 */
export type KeepGrant = (grantId: string, lifeSeconds: number) => Promise<void>;

export function createKeepGrant(store: OidcStore, accounts: OidcAccounts, clock: Clock, times: RecordTimes): KeepGrant {
  return async (grantId, lifeSeconds) => {
    const until = Math.floor(clock.now() / 1000) + Math.ceil(lifeSeconds);
    const read = Provider.ctx?.oidc?.entities.Grant;
    if (read?.jti === grantId && times.sharedSeconds(read.exp ?? 0) >= until) return;
    const grant = await store.prolong({ model: "Grant", digest: digestOfId(grantId) }, until);
    if (grant === undefined) throw new errors.InvalidGrant("the grant was revoked");
    if (grant.accountId !== undefined) await accounts.keep(grant.accountId);
  };
}

type LoadGrant = NonNullable<Configuration["loadExistingGrant"]>;

type Grant = NonNullable<Awaited<ReturnType<LoadGrant>>>;

/** Grants everything requested: the site or a remembered consent allows it. */
function grantAll(ctx: KoaContextWithOIDC, grant: Grant): void {
  const { requestParamOIDCScopes, requestParamClaims, requestParamScopes, resourceServers = {} } = ctx.oidc;
  if (requestParamOIDCScopes.size > 0) grant.addOIDCScope([...requestParamOIDCScopes].join(" "));
  if (requestParamClaims.size > 0) grant.addOIDCClaims([...requestParamClaims]);
  for (const [resource, { scopes }] of Object.entries(resourceServers)) {
    const words = [...requestParamScopes].filter((scope) => scopes.has(scope));
    if (words.length > 0) grant.addResourceScope(resource, words.join(" "));
  }
}

/** The grant that the user has just given, or the one of this session and client; never of another account. */
async function knownGrant(ctx: KoaContextWithOIDC, accountId: string, clientId: string): Promise<Grant | undefined> {
  const { session, provider, result } = ctx.oidc;
  const grantId = result?.consent?.grantId ?? session?.grantIdFor(clientId);
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  return known?.accountId === accountId ? known : undefined;
}

/**
 * The grant of this browser session and client, to which tokens belong; not the remembered consent. Where no consent is
 * required, it is widened by newly requested scopes and claims, which would otherwise show the consent page.
 *
 * @param hasConsented whether a consent of the user to these scopes for this client is remembered
 */
export function createLoadGrant(
  policies: ClientPolicies,
  hasConsented: (accountId: string, clientId: string, scopes: readonly string[]) => Promise<boolean>,
): LoadGrant {
  const isAgreed = async (ctx: KoaContextWithOIDC, accountId: string, clientId: string): Promise<boolean> => {
    if (policies.get(clientId)?.config.skip_consent === true) return true;
    const { prompts, requestParamScopes, requestParamClaims } = ctx.oidc;
    const scopes = [...requestParamScopes];
    const claims = policies.get(clientId)?.claims;
    const ofClaims = claims === undefined ? [] : scopesForClaims(claims, requestParamClaims, scopes);
    return !prompts.has("consent") && hasConsented(accountId, clientId, [...scopes, ...ofClaims]);
  };
  const isAlwaysAsked = ({ oidc }: KoaContextWithOIDC, clientId: string): boolean => {
    const policy = policies.get(clientId);
    return policy !== undefined && asksEachTime(policy, textOf(oidc.params?.["redirect_uri"]) ?? "");
  };
  return async (ctx) => {
    const { client, session, provider, result } = ctx.oidc;
    const accountId = session?.accountId;
    if (client === undefined || accountId === undefined) return undefined;
    const { clientId } = client;
    // The identity of such a client cannot be verified, so the user decides each time, and each sign-in has its own grant.
    if (result?.consent === undefined && isAlwaysAsked(ctx, clientId)) return undefined;
    const known = await knownGrant(ctx, accountId, clientId);
    if (result?.consent !== undefined || !(await isAgreed(ctx, accountId, clientId))) return known;
    const grant = known ?? new provider.Grant({ accountId, clientId });
    grantAll(ctx, grant);
    await grant.save();
    return grant;
  };
}
