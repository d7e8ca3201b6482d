import { pathTo } from "@postern/shared/contracts";
import { readUtf8Form } from "@postern/shared/platform/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { passForm, type TokenRouteDeps } from "./client-form.ts";
import { queryOf, withoutEmpty } from "./form.ts";

/** `GET /oidc/token` (ADR 0005): its query is the form, which is never logged. */
export function getToken(deps: TokenRouteDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (!deps.current().settings.oidc.tokens.token_endpoint_allow_get)
      return reply.code(404).send({ error: "not found" });
    const form = withoutEmpty(readUtf8Form(queryOf(request.raw.url)));
    return passForm(request, reply, { form, url: pathTo("token"), deps });
  };
}
