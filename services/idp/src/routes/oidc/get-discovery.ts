import type { FastifyReply, FastifyRequest } from "fastify";
import type { Bridge } from "../../oidc/provider/bridge.ts";

/** The discovery document, at its OIDC and its OAuth path: the protocol core builds it, `oidc/provider/answers.ts` adds members. */
export function getDiscovery({ bridge }: { readonly bridge: Bridge }) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => bridge.pass(request, reply);
}
