import type { AuditRecord } from "@postern/shared/audit";
import { type Caller, mayUse, type ReadCaller } from "@postern/shared/http";
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
    if (caller === undefined) return reply.code(401).send({ error: "missing or invalid caller assertion" });
    request.caller = caller;
    return undefined;
  };
}

/** Contract, "Authentication": a Bearer caller needs one of the route's scopes, else 403. */
export function requireScope(...anyScope: readonly string[]) {
  return async ({ caller }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    if (caller !== null && mayUse(caller, anyScope)) return undefined;
    return reply.code(403).send({ error: `missing required scope: ${anyScope.join(" or ")}` });
  };
}

/** The caller as the audit stream names it; by its way in alone where the gateway told no name. */
export function auditedCaller(caller: Caller | null): Pick<AuditRecord, "actor" | "method" | "clientIp"> {
  if (caller === null) return {};
  const { method, name = method, clientIp } = caller;
  return { actor: name, method, clientIp };
}
