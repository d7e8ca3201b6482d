import type { FastifyReply } from "fastify";
import { formTargetOf } from "../../pages/security-headers.ts";
import { postMessagePage } from "../../pages/templates/post-message.ts";
import type { PostedMessage } from "../../saml/outbound/send.ts";
import type { Provider } from "../../saml/providers.ts";
import { SamlRefusal } from "../../saml/refusal.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session-port.ts";
import { cookieNames } from "../../sessions/cookies.ts";
import { auditVisit } from "../audit-visit.ts";
import type { VisitHandler } from "../page-routes.ts";
import { lookOf, sendProblem, sendShown, type Visit } from "../visit.ts";
import type { SamlRoutesDeps } from "./deps.ts";

/** A message that is refused is a page with 400 and an event of the audit; nothing else has happened. */
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
          reason: error.reason,
          detail: error.message,
        },
        "SAML message refused",
      );
      return sendProblem(deps.pages, visit, "request");
    }
  };
}

/** A page that posts the message; browsers apply `form-action` to where the service provider then leads too. */
export function sendPosted(
  { pages }: SamlRoutesDeps,
  visit: Visit,
  { provider, message }: { readonly provider: Provider; readonly message: PostedMessage },
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
  return sendShown(visit.reply, pages.show(postMessagePage, view, look, { formTargets: targets }));
}

export async function sessionOf(
  { pages, sessions }: SamlRoutesDeps,
  { request }: Visit,
): Promise<BrowserSessionRecord | undefined> {
  const sid = pages.cookies.read(request.headers.cookie, cookieNames.session);
  return sid === undefined ? undefined : sessions.findBySid(sid);
}
