import type { FastifyReply, FastifyRequest } from "fastify";
import { readMailAddress } from "../../mail-clients/mail-address.ts";
import { type MailClientDeps, sendNotFound } from "./deps.ts";
import { sendProfile } from "./send-profile.ts";

/**
 * `GET /mail/profile/{token}`: an Apple profile, once. The link is opened by a device that is not signed in. A HEAD request, which link
 * previews send, does not use it up.
 */
export function getProfile(deps: MailClientDeps) {
  const { offers, services, metrics, logger } = deps;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (request.method === "HEAD") return reply.code(405).header("allow", "GET").send();
    const { token } = Object(request.params);
    const profile = offers === undefined || typeof token !== "string" ? undefined : await offers.take(token);
    const mail = profile === undefined ? undefined : readMailAddress(profile.address);
    const found = mail === undefined ? undefined : services.find(mail.domain);
    metrics.requested("profile", found === undefined ? "unknown" : "served");
    const session = request.caller?.session;
    if (profile === undefined || mail === undefined || found === undefined) {
      logger.info({ session }, "mail profile not found: it was fetched before, has expired or never existed");
      return sendNotFound(reply);
    }
    logger.info({ session, account: mail.address }, "mail profile fetched");
    return sendProfile(reply, deps, { services: found, mail, profile });
  };
}
