import { operation } from "@postern/shared/contracts";
import { agentConfiguration, type MailServices } from "@postern/shared/domain/mail-clients";
import { routeOf } from "@postern/shared/platform/http";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { textIn } from "../visit/visit.ts";
import { sendProfile } from "./apple-profile.ts";
import { autoconfigDocument } from "./autoconfig-document.ts";
import { autodiscoverError, autodiscoverResponse, readAutodiscoverRequest } from "./autodiscover.ts";
import type { MailClientDocuments } from "./context.ts";
import { readMailAddress, servicesOfHost } from "./mail-address.ts";

/** A domain name with a port. A longer `Host` header is not a domain, and is not logged as a whole. */
const longestHost = 260;
const xml = "text/xml; charset=utf-8";

/** The host that the client asked; the gateway passes it on. */
function hostOf({ headers }: FastifyRequest): string | undefined {
  return textIn(headers, "x-forwarded-host")?.slice(0, longestHost);
}

function sendNotFound(reply: FastifyReply): FastifyReply {
  return reply.code(404).header("cache-control", "no-store").send();
}

/** An address that is sent counts, and only its domain; otherwise the host of the request. */
async function servicesFor(
  { services }: MailClientDocuments,
  request: FastifyRequest,
): Promise<MailServices | undefined> {
  const { emailaddress: written } = Object(request.query);
  if (written === undefined) return servicesOfHost(services, hostOf(request));
  // Clients write `+` as it is, which a query reads as a space; no address has one.
  const address = typeof written === "string" ? readMailAddress(written.replaceAll(" ", "+")) : undefined;
  return address === undefined ? undefined : services.find(address.domain);
}

const settingsTypes = { autoconfig: xml, pacc: "application/json" } as const;

/** Clients may keep the settings for five minutes; they are the same for all users of a domain. */
function serveSettings(
  documents: MailClientDocuments,
  format: keyof typeof settingsTypes,
  find: (request: FastifyRequest) => Promise<MailServices | undefined>,
  render: (services: MailServices) => string | undefined,
) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const found = await find(request);
    const document = found === undefined ? undefined : render(found);
    documents.metrics.requested(format, document === undefined ? "unknown" : "served");
    if (document === undefined) {
      const { caller } = request;
      documents.logger.info({ session: caller?.session, host: hostOf(request) }, "no mail settings for the domain");
      return sendNotFound(reply);
    }
    return reply
      .header("cache-control", "max-age=300")
      .header("x-content-type-options", "nosniff")
      .type(settingsTypes[format])
      .send(document);
  };
}

/** `POST /autodiscover/autodiscover.xml`. The response contains the address of the request and is not cached. */
function postAutodiscover({ services, metrics, logger, nowMs }: MailClientDocuments) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const session = request.caller?.session;
    const { body } = request;
    const read = readAutodiscoverRequest(body instanceof Uint8Array ? body : new Uint8Array());
    if (read.outcome !== "ok") {
      metrics.requested("autodiscover", "refused");
      const reason = read.outcome === "malformed" ? read.reason : "another response schema";
      logger.info({ session, reason }, "Autodiscover request refused");
      return reply
        .code(read.outcome === "malformed" ? 400 : 200)
        .header("cache-control", "no-store")
        .type(xml)
        .send(autodiscoverError(read.outcome, nowMs()));
    }
    const found = await services.find(read.address.domain);
    metrics.requested("autodiscover", found === undefined ? "unknown" : "served");
    if (found === undefined) {
      logger.info({ session, domain: read.address.domain }, "no mail settings for the domain");
      return sendNotFound(reply);
    }
    return reply
      .header("cache-control", "no-store")
      .header("x-content-type-options", "nosniff")
      .type(xml)
      .send(autodiscoverResponse(found, read.address));
  };
}

/**
 * `GET /mail/profile/{token}`: an Apple profile, once. The link is opened by a device that is not signed in. A HEAD request, which link
 * previews send, does not use it up.
 */
function getProfile(documents: MailClientDocuments) {
  const { offers, services, metrics, logger } = documents;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (request.method === "HEAD") return reply.code(405).header("allow", "GET").send();
    const { token } = Object(request.params);
    const profile = offers === undefined || typeof token !== "string" ? undefined : await offers.take(token);
    const mail = profile === undefined ? undefined : readMailAddress(profile.address);
    const found = mail === undefined ? undefined : await services.find(mail.domain);
    metrics.requested("profile", found === undefined ? "unknown" : "served");
    const session = request.caller?.session;
    if (profile === undefined || mail === undefined || found === undefined) {
      logger.info({ session }, "mail profile not found: it was fetched before, has expired or never existed");
      return sendNotFound(reply);
    }
    logger.info({ session, account: mail.address }, "mail profile fetched");
    return sendProfile(reply, documents, { services: found, mail, profile });
  };
}

/** Clients do not agree on a content type, so every body is read as bytes. A body above the limit is malformed. */
function registerAutodiscover(app: FastifyInstance, documents: MailClientDocuments): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, async (_request: unknown, body: Buffer) => body);
    scope.setErrorHandler((error: FastifyError, request, reply) => {
      if ((error.statusCode ?? 500) >= 500) throw error;
      const { metrics, logger, nowMs } = documents;
      metrics.requested("autodiscover", "refused");
      logger.info({ session: request.caller?.session, reason: error.message }, "Autodiscover request refused");
      return reply.code(400).type(xml).send(autodiscoverError("malformed", nowMs()));
    });
    scope.route({ ...routeOf(operation("autodiscover")), handler: postAutodiscover(documents) });
  });
}

/** The documents by which mail clients find their settings. */
export function registerMailClients(app: FastifyInstance, documents: MailClientDocuments): void {
  const ofRequest = (request: FastifyRequest) => servicesFor(documents, request);
  const ofHost = (request: FastifyRequest) => servicesOfHost(documents.services, hostOf(request));
  const readAutoconfig = serveSettings(documents, "autoconfig", ofRequest, autoconfigDocument);
  app.route({ ...routeOf(operation("wellKnownAutoconfig")), handler: readAutoconfig });
  app.route({ ...routeOf(operation("autoconfig")), handler: readAutoconfig });
  app.route({
    ...routeOf(operation("userAgentConfiguration")),
    handler: serveSettings(documents, "pacc", ofHost, agentConfiguration),
  });
  app.route({ ...routeOf(operation("mailProfile")), handler: getProfile(documents) });
  registerAutodiscover(app, documents);
}
