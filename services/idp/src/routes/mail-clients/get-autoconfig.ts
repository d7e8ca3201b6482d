import type { FastifyReply, FastifyRequest } from "fastify";
import { autoconfigDocument } from "../../mail-clients/autoconfig-document.ts";
import { servicesOfHost } from "../../mail-clients/domain-of-host.ts";
import { readMailAddress } from "../../mail-clients/mail-address.ts";
import { hostOf, type MailClientDeps, sendDocument, sendNotFound } from "./deps.ts";

/** An address that is sent counts, and only its domain; otherwise the host of the request. */
function servicesFor({ services }: MailClientDeps, request: FastifyRequest) {
  const { emailaddress: written } = Object(request.query);
  if (written === undefined) return servicesOfHost(services, hostOf(request));
  // Clients write `+` as it is, which a query reads as a space; no address has one.
  const address = typeof written === "string" ? readMailAddress(written.replaceAll(" ", "+")) : undefined;
  return address === undefined ? undefined : services.find(address.domain);
}

/** `GET /.well-known/autoconfig/mail/config-v1.1.xml` and `/mail/config-v1.1.xml`. */
export function getAutoconfig(deps: MailClientDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const found = servicesFor(deps, request);
    deps.metrics.requested("autoconfig", found === undefined ? "unknown" : "served");
    if (found !== undefined) return sendDocument(reply, "text/xml; charset=utf-8", autoconfigDocument(found));
    const { caller } = request;
    deps.logger.info({ session: caller?.session, host: hostOf(request) }, "no mail settings for the domain");
    return sendNotFound(reply);
  };
}
