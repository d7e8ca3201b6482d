import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AuthenticateClient, ClientOutcome } from "../clients/client-auth.ts";
import type { ClientPolicies, ClientPolicy } from "../clients/clients.ts";
import { formOf } from "../http/form.ts";
import {
  answerAnyOrigin,
  isForeignOrigin,
  noStore,
  oauthError,
  type RefuseClient,
  withoutOrigin,
} from "../http/replies.ts";
import type { RegisteredClients } from "../registration/registered-clients.ts";
import type { OidcStore } from "../storage/store.ts";
import type { ResolveToken } from "../tokens/resolve-token.ts";
import type { TokenRecords } from "../tokens/token-records.ts";

export interface RevokeDeps {
  readonly authenticate: AuthenticateClient;
  readonly refuse: RefuseClient;
  readonly policies: () => ClientPolicies;
  readonly registered: Pick<RegisteredClients, "load">;
  readonly resolve: ResolveToken;
  readonly store: Pick<OidcStore, "find">;
  readonly records: Pick<TokenRecords, "revokeToken" | "revokeGrant">;
  readonly digestOf: (id: string) => string;
}

/** A public client is identified by the token alone (RFC 7009 §2.1). */
async function clientOf(
  request: FastifyRequest,
  form: URLSearchParams,
  { authenticate, policies, registered }: RevokeDeps,
): Promise<ClientOutcome> {
  const { authorization } = request.raw.headers;
  const known = await authenticate({
    authorization,
    form,
    path: pathTo("revoke"),
    certificate: request.caller?.certificate,
  });
  if (known.outcome === "client") return known;
  const id = form.get("client_id") ?? "";
  await registered.load(id);
  const policy = policies().get(id);
  const isBare = authorization === undefined && !form.has("client_secret") && !form.has("client_assertion");
  return isBare && policy?.isPublic === true ? { outcome: "client", policy } : known;
}

async function revoke(value: string, client: ClientPolicy, deps: RevokeDeps): Promise<void> {
  const { store, records, digestOf, resolve } = deps;
  const refresh = value.includes(".")
    ? undefined
    : await store.find({ model: "RefreshToken", digest: digestOf(value) });
  if (refresh !== undefined) {
    // RFC 7009 §2.1: revoking a refresh token also revokes the access tokens of its grant.
    if (refresh.clientId === client.id && refresh.grantId !== undefined) await records.revokeGrant(refresh.grantId);
    return;
  }
  const token = await resolve(value);
  if (token?.clientId === client.id) await records.revokeToken(token.digest, token.payload);
}

/** `POST /oidc/revoke` (RFC 7009): 200 even for tokens that are unknown or belong to another client. */
export function postRevoke(deps: RevokeDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    answerAnyOrigin(request, reply);
    const form = formOf(request.body);
    const known = await clientOf(request, form, deps);
    if (known.outcome === "refused") return deps.refuse(request, reply, known);
    if (isForeignOrigin(request, known.policy.config))
      return oauthError(withoutOrigin(reply), 400, "invalid_request", "the origin is not one of the client");
    const [value, ...more] = form.getAll("token");
    if (value === undefined || more.length > 0)
      return oauthError(reply, 400, "invalid_request", "token must be given exactly once");
    await revoke(value, known.policy, deps);
    return noStore(reply).code(200).send();
  };
}
