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

/**
 * The grant of this browser session and client: a family of tokens, not the remembered consent. Where consent is not
 * asked for, it is widened by what is new, or the page would come at the next new claim.
 */
export function createLoadGrant({ policies, hasConsented }: GrantDeps): LoadGrant {
  return async (ctx) => {
    const { client, session, provider, result, requestParamScopes, prompts } = ctx.oidc;
    if (client === undefined || session?.accountId === undefined) return undefined;
    const { clientId } = client;
    const grantId = result?.consent?.grantId ?? session.grantIdFor(clientId);
    const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
    const usable = known?.accountId === session.accountId ? known : undefined;
    if (result?.consent !== undefined) return usable;
    const policy = policies.get(clientId);
    const agreed =
      policy?.config.skip_consent === true ||
      (!prompts.has("consent") && (await hasConsented(session.accountId, clientId, [...requestParamScopes])));
    if (!agreed) return usable;
    const grant = usable ?? new provider.Grant({ accountId: session.accountId, clientId });
    grantAll(ctx, grant);
    await grant.save();
    return grant;
  };
}
