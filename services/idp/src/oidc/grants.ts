import type { Configuration, KoaContextWithOIDC } from "oidc-provider";
import type { ClientPolicies } from "./clients.ts";

type LoadGrant = NonNullable<Configuration["loadExistingGrant"]>;

export interface GrantDeps {
  readonly policies: ClientPolicies;
  /** Whether the user has agreed to these scopes for this client before, and still does. */
  readonly hasConsented: (accountId: string, clientId: string, scopes: readonly string[]) => Promise<boolean>;
}

type Grant = NonNullable<Awaited<ReturnType<LoadGrant>>>;

/** Grants all that is asked: the site, or the user before, has agreed. */
function grantAll(ctx: KoaContextWithOIDC, grant: Grant): void {
  const { requestParamOIDCScopes, requestParamClaims, requestParamScopes, resourceServers = {} } = ctx.oidc;
  if (requestParamOIDCScopes.size > 0) grant.addOIDCScope([...requestParamOIDCScopes].join(" "));
  if (requestParamClaims.size > 0) grant.addOIDCClaims([...requestParamClaims]);
  for (const [resource, { scopes }] of Object.entries(resourceServers)) {
    const words = [...requestParamScopes].filter((scope) => scopes.has(scope));
    if (words.length > 0) grant.addResourceScope(resource, words.join(" "));
  }
}

/** The grant that the user has just given, or that of this session and client; never another account's. */
async function knownGrant(ctx: KoaContextWithOIDC, accountId: string, clientId: string): Promise<Grant | undefined> {
  const { session, provider, result } = ctx.oidc;
  const grantId = result?.consent?.grantId ?? session?.grantIdFor(clientId);
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  return known?.accountId === accountId ? known : undefined;
}

/**
 * The grant of this browser session and client: a family of tokens, not the remembered consent. Where consent is not
 * asked for, it is widened by what is new, or the page would come at the next new claim.
 */
export function createLoadGrant({ policies, hasConsented }: GrantDeps): LoadGrant {
  const isAgreed = async (ctx: KoaContextWithOIDC, accountId: string, clientId: string): Promise<boolean> => {
    if (policies.get(clientId)?.config.skip_consent === true) return true;
    const { prompts, requestParamScopes } = ctx.oidc;
    return !prompts.has("consent") && hasConsented(accountId, clientId, [...requestParamScopes]);
  };
  return async (ctx) => {
    const { client, session, provider, result } = ctx.oidc;
    const accountId = session?.accountId;
    if (client === undefined || accountId === undefined) return undefined;
    const { clientId } = client;
    const known = await knownGrant(ctx, accountId, clientId);
    if (result?.consent !== undefined || !(await isAgreed(ctx, accountId, clientId))) return known;
    const grant = known ?? new provider.Grant({ accountId, clientId });
    grantAll(ctx, grant);
    await grant.save();
    return grant;
  };
}
