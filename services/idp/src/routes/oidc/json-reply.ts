import type { Logger } from "@postern/shared/platform/logging";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ClientOutcome } from "../../oidc/clients/client-auth.ts";
import { oidcSignatures } from "../../oidc/settings/oidc-settings.ts";

/** Forbids caching of a response about tokens (RFC 6749 §5.1). */
export function noStore(reply: FastifyReply): FastifyReply {
  return reply.header("cache-control", "no-store").header("pragma", "no-cache");
}

export function oauthError(reply: FastifyReply, status: number, error: string, description?: string): FastifyReply {
  const body = description === undefined ? { error } : { error, error_description: description };
  return noStore(reply).code(status).send(body);
}

type Refused = Extract<ClientOutcome, { outcome: "refused" }>;

/** RFC 6749 §5.2; client and reason are only logged. */
export type RefuseClient = (request: FastifyRequest, reply: FastifyReply, refused: Refused) => FastifyReply;

const longestName = 200;

export function createRefuseClient(issuer: string, logger: Pick<Logger, "info">): RefuseClient {
  return ({ caller, routeOptions }, reply, { reason, client }) => {
    const name = client?.slice(0, longestName);
    logger.info({ session: caller?.session, path: routeOptions.url, client: name, reason }, "OIDC client refused");
    reply.header("www-authenticate", `Basic realm="${issuer}"`);
    return oauthError(reply, 401, "invalid_client", "client authentication failed");
  };
}

export interface TokenProblem {
  readonly error: string;
  readonly description: string;
  readonly nonce?: string;
}

/** RFC 9449 §7.1, §9: what is wrong with a token that is bound to a key, or with its proof. */
export function proofRefused(
  reply: FastifyReply,
  issuer: string,
  { error, description, nonce }: TokenProblem,
): FastifyReply {
  const algs = oidcSignatures.join(" ");
  const challenge = `DPoP realm="${issuer}", error="${error}", error_description="${description}", algs="${algs}"`;
  reply.header("www-authenticate", challenge);
  if (nonce !== undefined) reply.header("dpop-nonce", nonce);
  return oauthError(reply, 401, error, description);
}

/** RFC 6750 §3. */
export function tokenRefused(reply: FastifyReply, issuer: string, error?: string): FastifyReply {
  const scheme = `Bearer realm="${issuer}"`;
  reply.header("www-authenticate", error === undefined ? scheme : `${scheme}, error="${error}"`);
  return oauthError(reply, error === "insufficient_scope" ? 403 : 401, error ?? "missing_token");
}
