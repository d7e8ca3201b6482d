import type { FastifyReply, FastifyRequest } from "fastify";
import { protectedResource } from "../../oidc/settings/mail-resources.ts";
import type { OidcSettings } from "../../oidc/settings/oidc-settings.ts";
import { oauthError } from "./json-reply.ts";

/** `GET /.well-known/oauth-protected-resource` (RFC 9728 §3): from the mail services to their authorization server. */
export function getProtectedResource(settings: () => OidcSettings) {
  return (_request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const metadata = protectedResource(settings());
    reply.header("access-control-allow-origin", "*");
    return metadata === undefined ? oauthError(reply, 404, "not_found") : reply.send(metadata);
  };
}
