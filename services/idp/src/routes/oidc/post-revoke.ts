import type { FastifyReply, FastifyRequest } from "fastify";
import type { AuthenticateClient } from "../../oidc/client-auth.ts";
import type { ClientPolicies, ClientPolicy } from "../../oidc/clients.ts";
import type { ResolveToken } from "../../oidc/resolve-token.ts";
import type { OidcStore } from "../../oidc/store.ts";
import type { TokenRecords } from "../../oidc/token-records.ts";
import { formOf } from "./form.ts";
import { clientRefused, noStore, oauthError } from "./json-reply.ts";

export interface RevokeDeps {
  readonly authenticate: AuthenticateClient;
  readonly policies: () => ClientPolicies;
  readonly resolve: ResolveToken;
  readonly store: Pick<OidcStore, "find">;
  readonly records: Pick<TokenRecords, "revokeToken" | "revokeGrant">;
  readonly digestOf: (id: string) => string;
  readonly issuer: string;
}

/** A public client proves itself by the token alone (RFC 7009 §2.1). */
async function clientOf(
  request: FastifyRequest,
  form: URLSearchParams,
  { authenticate, policies }: RevokeDeps,
): Promise<ClientPolicy | undefined> {
  const { authorization } = request.raw.headers;
  const known = await authenticate({ authorization, form, path: "/oidc/revoke" });
  if (known !== undefined) return known;
  const policy = policies().get(form.get("client_id") ?? "");
  const isBare = authorization === undefined && !form.has("client_secret") && !form.has("client_assertion");
  return isBare && policy?.isPublic === true ? policy : undefined;
}

async function revoke(value: string, client: ClientPolicy, deps: RevokeDeps): Promise<void> {
  const { store, records, digestOf, resolve } = deps;
  const refresh = value.includes(".")
    ? undefined
    : await store.find({ model: "RefreshToken", digest: digestOf(value) });
  if (refresh !== undefined) {
    // RFC 7009 §2.1: with the refresh token the access tokens of its grant die.
    if (refresh.clientId === client.id && refresh.grantId !== undefined) await records.revokeGrant(refresh.grantId);
    return;
  }
  const token = await resolve(value);
  if (token?.clientId === client.id) await records.revokeToken(token.digest, token.payload);
}

/** `POST /oidc/revoke` (RFC 7009): 200 also for what is unknown, or another client's. */
export function postRevoke(deps: RevokeDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const form = formOf(request.body);
    const client = await clientOf(request, form, deps);
    if (client === undefined) return clientRefused(reply, deps.issuer);
    const [value, ...more] = form.getAll("token");
    if (value === undefined || more.length > 0)
      return oauthError(reply, 400, "invalid_request", "token is missing or doubled");
    await revoke(value, client, deps);
    return noStore(reply).code(200).send();
  };
}
