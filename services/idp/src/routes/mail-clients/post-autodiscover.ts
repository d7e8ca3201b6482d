import type { FastifyReply, FastifyRequest } from "fastify";
import { readAutodiscoverRequest } from "../../mail-clients/autodiscover-request.ts";
import { autodiscoverError, autodiscoverResponse } from "../../mail-clients/autodiscover-response.ts";
import { type MailClientDeps, sendNotFound } from "./deps.ts";

const type = "text/xml; charset=utf-8";

function sendError(reply: FastifyReply, error: "malformed" | "unsupported", nowMs: number): FastifyReply {
  return reply
    .code(error === "malformed" ? 400 : 200)
    .header("cache-control", "no-store")
    .type(type)
    .send(autodiscoverError(error, nowMs));
}

/** `POST /autodiscover/autodiscover.xml`. The response contains the address of the request and is not cached. */
export function postAutodiscover({ services, metrics, logger, nowMs }: MailClientDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const session = request.caller?.session;
    const { body } = request;
    const read = readAutodiscoverRequest(body instanceof Uint8Array ? body : new Uint8Array());
    if (read.outcome !== "ok") {
      metrics.requested("autodiscover", "refused");
      const reason = read.outcome === "malformed" ? read.reason : "another response schema";
      logger.info({ session, reason }, "Autodiscover request refused");
      return sendError(reply, read.outcome, nowMs());
    }
    const found = services.find(read.address.domain);
    metrics.requested("autodiscover", found === undefined ? "unknown" : "served");
    if (found === undefined) {
      logger.info({ session, domain: read.address.domain }, "no mail settings for the domain");
      return sendNotFound(reply);
    }
    return reply
      .header("cache-control", "no-store")
      .header("x-content-type-options", "nosniff")
      .type(type)
      .send(autodiscoverResponse(found, read.address));
  };
}
