import type { FastifyReply, FastifyRequest } from "fastify";
import type { Bridge } from "../../oidc/provider/bridge.ts";

/** `GET /oidc/jwks`: the protocol core writes the public keys; `oidc/keys/signing-keys.ts` rotates them. */
export function getJwks({ bridge }: { readonly bridge: Bridge }) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => bridge.pass(request, reply);
}
