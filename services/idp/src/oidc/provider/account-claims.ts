import type { Configuration, KoaContextWithOIDC } from "oidc-provider";
import { type ClaimSources, claimsOf } from "../claims/claims.ts";
import type { ClientPolicies } from "../clients/clients.ts";
import { wordsOf } from "../storage/json.ts";
import type { ProviderHooks } from "./hooks.ts";

/** The claims for a client that is no longer registered. */
const noSources: ClaimSources = { named: [], mappings: [] };

/** Whether the ID token is all that the client receives: without an access token it cannot ask for claims (Core §5.4). */
function isOnlyIdToken({ oidc }: KoaContextWithOIDC): boolean {
  return oidc.params?.["response_type"] === "id_token";
}

/**
 * The account and its claims for an ID token: only those that the request or the client's mappings name, and those of the
 * scopes if no access token is issued. The provider adds the claims of the scopes where an access token has an audience,
 * although userinfo accepts such tokens here.
 */
export function accountWithClaims(
  policies: ClientPolicies,
  { findAccount, reportUnreadable, keepClient }: ProviderHooks,
): NonNullable<Configuration["findAccount"]> {
  return async (ctx, accountId, token) => {
    const ofToken = token !== undefined && "sessionUid" in token ? token.sessionUid : undefined;
    const account = await findAccount(accountId, ofToken ?? ctx.oidc.session?.uid);
    if (account === undefined) return undefined;
    const clientId = ctx.oidc.client?.clientId ?? token?.clientId ?? "";
    const claims = policies.get(clientId)?.claims;
    return {
      accountId,
      claims: async (use, scope, named) => {
        const isAlone = use === "id_token" && isOnlyIdToken(ctx);
        // No access token is issued that would do it.
        if (isAlone) await keepClient(clientId);
        const released = new Set([...Object.keys(named), ...(isAlone ? (claims?.ofScopes(wordsOf(scope)) ?? []) : [])]);
        const known = Object.entries(claimsOf(account, claims ?? noSources, reportUnreadable(clientId)));
        const kept = known.filter(([claim]) => use !== "id_token" || released.has(claim));
        return { ...Object.fromEntries(kept), sub: accountId };
      },
    };
  };
}
