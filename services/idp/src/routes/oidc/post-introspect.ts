import type { FastifyReply, FastifyRequest } from "fastify";
import { emailOf, mappedClaims } from "../../oidc/claims.ts";
import type { AuthenticateClient } from "../../oidc/client-auth.ts";
import type { ClientPolicies, ClientPolicy } from "../../oidc/clients.ts";
import type { ResolvedToken, ResolveToken } from "../../oidc/resolve-token.ts";
import { formOf } from "./form.ts";
import { clientRefused, noStore, oauthError } from "./json-reply.ts";

export interface IntrospectDeps {
  readonly authenticate: AuthenticateClient;
  readonly resolve: ResolveToken;
  readonly policies: () => ClientPolicies;
  readonly issuer: string;
}

function maySee({ clientId, payload }: ResolvedToken, asking: ClientPolicy): boolean {
  return asking.config.resource_server || clientId === asking.id || payload.aud === asking.id;
}

function user({ account, clientId }: ResolvedToken, { policies }: IntrospectDeps) {
  if (account === undefined) return undefined;
  const config = policies().get(clientId)?.config;
  const email = emailOf(account, config?.id_token_claims.mappings ?? []);
  const mapped = mappedClaims(account, config?.access_token_claims.mappings ?? []);
  return { ...mapped, username: account.account, ...(email !== undefined && { email }) };
}

/** Flat, as mail servers read it (behaviour reference §11.1): no member of the token's own leaks into it. */
function answer(token: ResolvedToken, deps: IntrospectDeps): Readonly<Record<string, unknown>> {
  const { payload, clientId, account, isBound } = token;
  const { issuer } = deps;
  return {
    active: true,
    iss: issuer,
    sub: account?.accountId ?? clientId,
    aud: payload.aud ?? clientId,
    client_id: clientId,
    ...user(token, deps),
    scope: payload.scope ?? "",
    exp: payload.exp,
    iat: payload.iat,
    token_type: isBound ? "DPoP" : "Bearer",
    ...(isBound && payload.jkt !== undefined && { cnf: { jkt: payload.jkt } }),
  };
}

/** `POST /oidc/introspect` (RFC 7662). */
export function postIntrospect(deps: IntrospectDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const form = formOf(request.body);
    const { authorization } = request.raw.headers;
    const asking = await deps.authenticate({ authorization, form, path: "/oidc/introspect" });
    if (asking === undefined) return clientRefused(reply, deps.issuer);
    const [value, ...more] = form.getAll("token");
    if (value === undefined || more.length > 0)
      return oauthError(reply, 400, "invalid_request", "token is missing or doubled");
    const token = await deps.resolve(value);
    const seen = token !== undefined && maySee(token, asking) ? answer(token, deps) : { active: false };
    return noStore(reply).send(seen);
  };
}
