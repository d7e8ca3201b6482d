import type { FastifyReply } from "fastify";

/** An answer about tokens: no cache keeps it (RFC 6749 §5.1). */
export function noStore(reply: FastifyReply): FastifyReply {
  return reply.header("cache-control", "no-store").header("pragma", "no-cache");
}

export function oauthError(reply: FastifyReply, status: number, error: string, description?: string): FastifyReply {
  const body = description === undefined ? { error } : { error, error_description: description };
  return noStore(reply).code(status).send(body);
}

/** RFC 6749 §5.2. */
export function clientRefused(reply: FastifyReply, issuer: string): FastifyReply {
  reply.header("www-authenticate", `Basic realm="${issuer}"`);
  return oauthError(reply, 401, "invalid_client", "client authentication failed");
}

/** RFC 6750 §3. */
export function tokenRefused(reply: FastifyReply, issuer: string, error?: string): FastifyReply {
  const scheme = `Bearer realm="${issuer}"`;
  reply.header("www-authenticate", error === undefined ? scheme : `${scheme}, error="${error}"`);
  return oauthError(reply, error === "insufficient_scope" ? 403 : 401, error ?? "missing_token");
}
