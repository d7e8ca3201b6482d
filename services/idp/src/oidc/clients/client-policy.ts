import { decodeJwt } from "jose";
import { type Configuration, errors, type KoaContextWithOIDC } from "oidc-provider";
import { demandSignedRequest } from "../request-objects/hand-over.ts";
import { implicitTypeOf } from "../settings/response-types.ts";
import { isRecord, wordsOf } from "../storage/models.ts";
import type { ClientPolicies, ClientPolicy } from "./clients.ts";

/** The requested scopes: the provider removes offline_access unless prompt=consent is present. */
function requestedScopes(ctx: KoaContextWithOIDC): readonly string[] {
  const { entities, body } = ctx.oidc;
  const pushed = entities.PushedAuthorizationRequest;
  // The scopes of the pushed request; those in the URL are ignored.
  if (pushed !== undefined) return wordsOf(decodeJwt(pushed.request)["scope"]);
  const raw = ctx.method === "POST" && body !== undefined ? body["scope"] : ctx.query["scope"];
  return wordsOf(raw);
}

/** The claims requested by name that the client may receive, and those that its mappings put into ID tokens. */
function allowedClaims(rawClaims: unknown, { claims }: ClientPolicy, scopes: readonly string[]): string {
  const parsed: unknown = typeof rawClaims === "string" && rawClaims !== "" ? JSON.parse(rawClaims) : {};
  const allowed = (member: "userinfo" | "id_token") => {
    const requested = isRecord(parsed) && isRecord(parsed[member]) ? parsed[member] : {};
    return Object.entries(requested).filter(([claim]) => claims.mayRequest(claim));
  };
  const mapped = claims.idTokenClaims(scopes).map((claim) => [claim, null] as const);
  return JSON.stringify({
    userinfo: Object.fromEntries(allowed("userinfo")),
    id_token: Object.fromEntries([...mapped, ...allowed("id_token")]),
  });
}

/**
 * Narrows scopes and claims to those allowed for the client, adds its implied scopes, and requests the claims that the site
 * maps into its ID tokens. Runs in authorization, pushed and device requests.
 */
export function clientPolicyParams(policies: ClientPolicies): NonNullable<Configuration["extraParams"]> {
  return {
    service_policy: (ctx, _value, client) => {
      const policy = policies.get(client.clientId);
      const { params } = ctx.oidc;
      if (policy === undefined || params === undefined) return;
      if (policy.config.require_signed_request_object) demandSignedRequest(ctx);
      const requested = requestedScopes(ctx);
      const allowed = requested.filter((scope) => policy.scopes.has(scope));
      const scopes = new Set([...allowed, ...policy.config.implied_scopes]);
      // Tokens in an address never outlive the session.
      if (implicitTypeOf(params["response_type"]) !== undefined) scopes.delete("offline_access");
      // Disallowed scopes are dropped, but a request with only such scopes is invalid (RFC 6749 §3.3).
      if (requested.length > 0 && scopes.size === 0) {
        throw new errors.InvalidScope("none of the requested scopes is allowed", requested.join(" "));
      }
      params["scope"] = [...scopes].join(" ") || undefined;
      const hasClaims = params["claims"] !== undefined || policy.config.id_token_claims.mappings.length > 0;
      if (hasClaims) params["claims"] = allowedClaims(params["claims"], policy, [...scopes]);
    },
  };
}
