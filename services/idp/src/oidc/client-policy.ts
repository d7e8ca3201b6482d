import { decodeJwt } from "jose";
import { type Configuration, errors, type KoaContextWithOIDC } from "oidc-provider";
import type { ClientPolicies, ClientPolicy } from "./clients.ts";
import { isRecord, wordsOf } from "./json.ts";

/** Scopes as they were asked for: the provider leaves offline_access out unless prompt=consent comes with it. */
function askedScopes(ctx: KoaContextWithOIDC): readonly string[] {
  const { entities, body } = ctx.oidc;
  const pushed = entities.PushedAuthorizationRequest;
  // The client's own words, which its push has narrowed; those of the address do not count beside it.
  if (pushed !== undefined) return wordsOf(decodeJwt(pushed.request)["scope"]);
  const raw = ctx.method === "POST" && body !== undefined ? body["scope"] : ctx.query["scope"];
  return wordsOf(raw);
}

function withIdTokenClaims(asked: unknown, policy: ClientPolicy): string {
  const claims: unknown = typeof asked === "string" && asked !== "" ? JSON.parse(asked) : {};
  const members = isRecord(claims) ? claims : {};
  const own = Object.fromEntries(policy.config.id_token_claims.mappings.map(({ claim }) => [claim, null]));
  const told = isRecord(members["id_token"]) ? members["id_token"] : {};
  return JSON.stringify({ ...members, id_token: { ...own, ...told } });
}

/**
 * Narrows scopes to what the client may have, adds what it has without asking, and asks for the claims that the site
 * maps into its ID tokens. Runs in authorization, pushed and device requests alike.
 */
export function clientPolicyParams(policies: ClientPolicies): NonNullable<Configuration["extraParams"]> {
  return {
    service_policy: (ctx, _value, client) => {
      const policy = policies.get(client.clientId);
      const { params } = ctx.oidc;
      if (policy === undefined || params === undefined) return;
      const asked = askedScopes(ctx);
      const allowed = asked.filter((scope) => policy.scopes.has(scope));
      const scopes = new Set([...allowed, ...policy.config.implied_scopes]);
      // Some are left out (contract), but a request of which nothing is left means something else (RFC 6749 §3.3).
      if (asked.length > 0 && scopes.size === 0) {
        throw new errors.InvalidScope("none of the requested scopes is allowed", asked.join(" "));
      }
      params["scope"] = [...scopes].join(" ") || undefined;
      if (policy.config.id_token_claims.mappings.length > 0) {
        params["claims"] = withIdTokenClaims(params["claims"], policy);
      }
    },
  };
}
