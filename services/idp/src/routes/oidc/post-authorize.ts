import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type AuthorizeDeps, authorize, redirectLimit } from "./authorize-request.ts";
import { formOf } from "./form.ts";

/** `POST /oidc/authorize`: becomes a top-level GET, with which the browser sends its Lax cookies. */
export function postAuthorize(deps: AuthorizeDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const query = formOf(request.body);
    const text = query.toString();
    if (text.length > redirectLimit) return authorize(deps, request, reply, query);
    return reply.header("cache-control", "no-store").redirect(`${pathTo("authorize")}?${text}`, 302);
  };
}
