import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { passForm, type TokenRouteDeps } from "./client-form.ts";
import { formOf } from "./form.ts";

const url = pathTo("deviceAuthorization");

/** `POST /oidc/device`: a device requests its codes (RFC 8628 §3.1). */
export function postDevice(deps: TokenRouteDeps) {
  return (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    passForm(request, reply, { form: formOf(request.body), url, deps });
}
