import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AuthenticateClient } from "../../oidc/clients/client-auth.ts";
import type { ClientPolicies, ClientPolicy } from "../../oidc/clients/clients.ts";
import { emailOf, mappedClaims } from "../../oidc/tokens/claims.ts";
import type { ResolvedToken, ResolveToken } from "../../oidc/tokens/resolve-token.ts";
import type { ReportUnreadable } from "../../oidc/tokens/unreadable-claims.ts";
import { formOf } from "./form.ts";
import { noStore, oauthError, type RefuseClient } from "./json-reply.ts";

export interface IntrospectDeps {
  readonly authenticate: AuthenticateClient;
  readonly refuse: RefuseClient;
  readonly resolve: ResolveToken;
  readonly policies: () => ClientPolicies;
  readonly issuer: string;
  readonly reportUnreadable: ReportUnreadable;
}

function maySee({ clientId, payload }: ResolvedToken, asking: ClientPolicy): boolean {
  return asking.config.resource_server || clientId === asking.id || payload.aud === asking.id;
}

function user({ account, clientId }: ResolvedToken, { policies, reportUnreadable }: IntrospectDeps) {
  if (account === undefined) return undefined;
  const config = policies().get(clientId)?.config;
  const email = emailOf(account, config?.id_token_claims.mappings ?? []);
  const mapped = mappedClaims(
    account,
    config?.access_token_claims.mappings ?? [],
    { email },
    reportUnreadable(clientId),
  );
  return { ...mapped, username: account.account, ...(email !== undefined && { email }) };
}

/** Flat, as mail servers read it (behaviour reference §11.1), with only these members of the token. */
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
    const known = await deps.authenticate({ authorization, form, path: pathTo("introspect") });
    if (known.outcome === "refused") return deps.refuse(request, reply, known);
    const asking = known.policy;
    const [value, ...more] = form.getAll("token");
    if (value === undefined || more.length > 0)
      return oauthError(reply, 400, "invalid_request", "token must be given exactly once");
    const token = await deps.resolve(value);
    const seen = token !== undefined && maySee(token, asking) ? answer(token, deps) : { active: false };
    return noStore(reply).send(seen);
  };
}
