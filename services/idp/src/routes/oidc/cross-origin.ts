import type { OidcClientConfig } from "@postern/shared/platform/config";
import type { FastifyReply, FastifyRequest } from "fastify";

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
