import type { MailServiceTable } from "@postern/shared/domain/mail-clients";
import type { Logger } from "@postern/shared/platform/logging";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { MailClientMetrics } from "../../mail-clients/mail-client-metrics.ts";
import type { ProfileOffers } from "../../mail-clients/profile-offers-redis.ts";
import type { ProfileSender } from "./send-profile.ts";

export interface MailClientDeps extends ProfileSender {
  readonly services: MailServiceTable;
  readonly metrics: MailClientMetrics;
  readonly logger: Logger;
  /** Undefined where there are no pages, on which users create profiles. */
  readonly offers: ProfileOffers | undefined;
}

/** A domain name with a port. A longer `Host` header is not a domain, and is not logged as a whole. */
const longestHost = 260;

/** The host that the client asked; the gateway passes it on. */
export function hostOf({ headers }: FastifyRequest): string | undefined {
  const host = headers["x-forwarded-host"];
  return typeof host === "string" ? host.slice(0, longestHost) : undefined;
}

/** Clients may keep the settings for five minutes; they are the same for all users of a domain. */
export function sendDocument(reply: FastifyReply, type: string, document: string): FastifyReply {
  return reply
    .header("cache-control", "max-age=300")
    .header("x-content-type-options", "nosniff")
    .type(type)
    .send(document);
}

export function sendNotFound(reply: FastifyReply): FastifyReply {
  return reply.code(404).header("cache-control", "no-store").send();
}
