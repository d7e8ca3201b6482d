import type { FastifyReply } from "fastify";
import { formTargetOf } from "../../pages/policy-sources.ts";
import { postMessagePage } from "../../pages/templates/post-message.ts";
import type { PostedMessage } from "../../saml/outbound/send.ts";
import { SamlRefusal } from "../../saml/protocol/refusal.ts";
import type { Provider } from "../../saml/providers.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session-port.ts";
import { cookieNames } from "../../sessions/cookies.ts";
import { auditVisit } from "../audit-visit.ts";
import type { VisitHandler } from "../page-routes.ts";
import { lookOf, sendProblem, sendShown, type Visit } from "../visit.ts";
import type { SamlRoutesDeps } from "./deps.ts";

const longestName = 256;

/** A rejected message gets a page with status 400 and an audit record, and has no other effect. */
export function refusing(deps: SamlRoutesDeps, handler: VisitHandler): VisitHandler {
  return async (visit) => {
    try {
      return await handler(visit);
    } catch (error) {
      if (!(error instanceof SamlRefusal)) throw error;
      const { caller } = visit.request;
      deps.metrics.refused(error.reason);
      auditVisit(deps.audit, visit.request, { event: "saml.rejected", outcome: "denied", reason: error.reason });
      deps.logger.warn(
        {
          session: caller?.session,
          clientIp: caller?.clientIp,
          path: visit.path,
          client: error.sender?.slice(0, longestName),
          reason: error.reason,
          detail: error.message,
        },
        "SAML message refused",
      );
      return sendProblem(deps.pages, visit, "request");
    }
  };
}

/** A page that posts the message. Browsers also apply `form-action` to the service provider's redirects. */
export function sendPosted(
  { pages }: SamlRoutesDeps,
  visit: Visit,
  { provider, message }: { readonly provider: Provider; readonly message: PostedMessage },
  { isFramed = false }: { readonly isFramed?: boolean } = {},
): FastifyReply {
  const origin = formTargetOf(message.action);
  const targets = origin?.startsWith("http:") === true ? [origin, "http:", "https:"] : [origin ?? "", "https:"];
  const view = {
    client: provider.config.name === "" ? provider.entityId : provider.config.name,
    action: message.action,
    fields: message.fields,
    script: pages.assets.sender.path,
  };
  const look = lookOf(pages, { ...visit, path: "" });
  return sendShown(visit.reply, pages.show(postMessagePage, view, look, { formTargets: targets, isFramed }));
}

export async function sessionOf(
  { pages, sessions }: SamlRoutesDeps,
  { request }: Visit,
): Promise<BrowserSessionRecord | undefined> {
  const sid = pages.cookies.read(request.headers.cookie, cookieNames.session);
  return sid === undefined ? undefined : sessions.findBySid(sid);
}
