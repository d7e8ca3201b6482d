import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { passForm, type TokenRouteDeps } from "./client-form.ts";
import { formOf } from "./form.ts";

const url = pathTo("pushAuthorization");

/** `POST /oidc/par`: a pushed authorization request (RFC 9126 §2). */
export function postPar(deps: TokenRouteDeps) {
  return (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    passForm(request, reply, { form: formOf(request.body), url, deps });
}
