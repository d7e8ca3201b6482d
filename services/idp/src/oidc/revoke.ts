import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ClientOutcome } from "./clients/client-auth.ts";
import type { ClientPolicy } from "./clients/clients.ts";
import type { OidcContext } from "./context.ts";
import { formOf } from "./http/form.ts";
import {
  answerAnyOrigin,
  isForeignOrigin,
  noStore,
  oauthError,
  repeatedToken,
  tokenIn,
  withoutOrigin,
} from "./http/replies.ts";
import { digestOfId } from "./storage/models.ts";

/** A public client is identified by the token alone (RFC 7009 §2.1). */
async function clientOf(
  request: FastifyRequest,
  form: URLSearchParams,
  { authenticate, findPolicy }: OidcContext,
): Promise<ClientOutcome> {
  const { authorization } = request.raw.headers;
  const known = await authenticate(request, form, pathTo("revoke"));
  if (known.outcome === "client") return known;
  const policy = await findPolicy(form.get("client_id") ?? "");
  const isBare = authorization === undefined && !form.has("client_secret") && !form.has("client_assertion");
  return isBare && policy?.isPublic === true ? { outcome: "client", policy } : known;
}

async function revoke(value: string, client: ClientPolicy, { store, records, resolve }: OidcContext): Promise<void> {
  const refresh = value.includes(".")
    ? undefined
    : await store.find({ model: "RefreshToken", digest: digestOfId(value) });
  if (refresh !== undefined) {
    // RFC 7009 §2.1: revoking a refresh token also revokes the access tokens of its grant.
    if (refresh.clientId === client.id && refresh.grantId !== undefined) await records.revokeGrant(refresh.grantId);
    return;
  }
  const token = await resolve(value);
  if (token?.clientId === client.id) await records.revokeToken(token.digest, token.payload);
}

/** `POST /oidc/revoke` (RFC 7009): 200 even for tokens that are unknown or belong to another client. */
export function postRevoke(oidc: OidcContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    answerAnyOrigin(request, reply);
    const form = formOf(request.body);
    const known = await clientOf(request, form, oidc);
    if (known.outcome === "refused") return oidc.refuse(request, reply, known);
    if (isForeignOrigin(request, known.policy.config))
      return oauthError(withoutOrigin(reply), 400, "invalid_request", "the origin is not one of the client");
    const value = tokenIn(form);
    if (value === undefined) return repeatedToken(reply);
    await revoke(value, known.policy, oidc);
    return noStore(reply).code(200).send();
  };
}
