import type { OidcClientConfig } from "@postern/shared/platform/config";
import type { Logger } from "@postern/shared/platform/logging";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ClientOutcome } from "../clients/client-auth.ts";
import { oidcSignatures } from "../settings/client-profile.ts";

/** Forbids caching of a response about tokens (RFC 6749 §5.1). */
export function noStore(reply: FastifyReply): FastifyReply {
  return reply.header("cache-control", "no-store").header("pragma", "no-cache");
}

export function oauthError(reply: FastifyReply, status: number, error: string, description?: string): FastifyReply {
  const body = description === undefined ? { error } : { error, error_description: description };
  return noStore(reply).code(status).send(body);
}

type Refused = Extract<ClientOutcome, { outcome: "refused" }>;

const longestName = 200;

/** Refuses a client that did not authenticate (RFC 6749 §5.2); client and reason are only logged. */
export function createRefuseClient(issuer: string, logger: Pick<Logger, "info">) {
  return ({ caller, routeOptions }: FastifyRequest, reply: FastifyReply, { reason, client }: Refused): FastifyReply => {
    const name = client?.slice(0, longestName);
    logger.info({ session: caller?.session, path: routeOptions.url, client: name, reason }, "OIDC client refused");
    reply.header("www-authenticate", `Basic realm="${issuer}"`);
    return oauthError(reply, 401, "invalid_client", "client authentication failed");
  };
}

/** RFC 9449 §7.1, §9: what is wrong with a token that is bound to a key, or with its proof. */
export function proofRefused(
  reply: FastifyReply,
  issuer: string,
  { error, description, nonce }: { readonly error: string; readonly description: string; readonly nonce?: string },
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

/** The token of a request about one (RFC 7662 §2.1, RFC 7009 §2.1); undefined unless it is sent exactly once. */
export function tokenIn(form: URLSearchParams): string | undefined {
  const [value, ...more] = form.getAll("token");
  return more.length > 0 ? undefined : value;
}

export function repeatedToken(reply: FastifyReply): FastifyReply {
  return oauthError(reply, 400, "invalid_request", "token must be given exactly once");
}

const originHeader = "access-control-allow-origin";

/**
 * Lets the page that sent this request read the response (CORS), as the protocol core does on its routes: also an error, as long as the
 * client is not known.
 */
export function answerAnyOrigin({ headers: { origin } }: FastifyRequest, reply: FastifyReply): void {
  reply.header("vary", "Origin");
  if (origin === undefined) return;
  reply.header(originHeader, origin).header("access-control-expose-headers", "WWW-Authenticate, DPoP-Nonce");
}

/** Whether the request comes from a page of another origin than those of the client, which must not read the response. */
export function isForeignOrigin(
  { headers: { origin } }: FastifyRequest,
  { redirect_uris: uris }: Pick<OidcClientConfig, "redirect_uris">,
): boolean {
  return origin !== undefined && !uris.some((uri) => URL.parse(uri)?.origin === origin);
}

export function withoutOrigin(reply: FastifyReply): FastifyReply {
  return reply.removeHeader(originHeader);
}
