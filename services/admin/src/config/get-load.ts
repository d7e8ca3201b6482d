import type { ConfigLoad } from "@postern/shared/contracts";
import { type Audit, auditedCaller } from "@postern/shared/domain/audit";
import type { FastifyReply, FastifyRequest } from "fastify";

export interface ConfigLoadSettings {
  /** `runtime.servers.http.disabled_endpoints.configuration` */
  readonly disabled: boolean;
  /** The effective configuration with its secrets masked, as JSON. */
  readonly redactedJson: string;
}

/** `GET /api/v1/config/load`; 404 if disabled. */
export function getConfigLoad(settings: () => ConfigLoadSettings, audit: Audit) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { disabled, redactedJson } = settings();
    if (disabled) return reply.code(404).send();
    const session = request.caller?.session ?? request.id;
    audit.record({ event: "configuration.read", outcome: "ok", ...auditedCaller(request.caller), session });
    const body: ConfigLoad = { session, object: "config", operation: "load", result: redactedJson };
    return reply.send(body);
  };
}
