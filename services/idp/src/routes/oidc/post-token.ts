import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { passForm, type TokenRouteDeps } from "./client-form.ts";
import { formOf } from "./form.ts";

const url = pathTo("token");

/** `POST /oidc/token` (RFC 6749 §3.2). The protocol core issues the tokens; `oidc/provider/answers.ts` adapts its response. */
export function postToken(deps: TokenRouteDeps) {
  return (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    passForm(request, reply, { form: formOf(request.body), url, deps });
}
