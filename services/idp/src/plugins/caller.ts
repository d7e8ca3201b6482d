import type { Caller, ReadCaller } from "@postern/shared/http";
import type { FastifyReply, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    /** The caller whom the gateway vouches for. */
    caller: Caller | null;
  }
}

/** Refuses whatever did not come through the gateway: 401. */
export function requireCaller(read: ReadCaller) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const caller = await read(request.raw.headers);
    if (caller === undefined) return reply.code(401).send();
    request.caller = caller;
    return undefined;
  };
}
