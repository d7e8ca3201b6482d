import { agentConfiguration } from "@postern/shared/domain/mail-clients";
import type { FastifyReply, FastifyRequest } from "fastify";
import { servicesOfHost } from "../../mail-clients/domain-of-host.ts";
import { hostOf, type MailClientDeps, sendDocument, sendNotFound } from "./deps.ts";

/** `GET /.well-known/user-agent-configuration.json` (draft-ietf-mailmaint-pacc). */
export function getAgentConfiguration({ services, metrics, logger }: MailClientDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const found = servicesOfHost(services, hostOf(request));
    const document = found === undefined ? undefined : agentConfiguration(found);
    metrics.requested("pacc", document === undefined ? "unknown" : "served");
    if (document !== undefined) return sendDocument(reply, "application/json", document);
    logger.info({ session: request.caller?.session, host: hostOf(request) }, "no mail settings for the domain");
    return sendNotFound(reply);
  };
}
