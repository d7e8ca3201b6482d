import { AppError } from "@postern/shared/platform/errors";
import type { FastifyReply } from "fastify";
import { queryOf } from "../oidc/http/form.ts";
import { formTargetOf } from "../pages/policy-sources.ts";
import { postMessagePage } from "../pages/templates/post-message.ts";
import type { VisitContext } from "../visit/context.ts";
import type { VisitHandler } from "../visit/page-routes.ts";
import { auditVisit, lookOf, sendProblem, sendShown, type Visit } from "../visit/visit.ts";
import type { SamlContext } from "./context.ts";
import { namingSender, SamlRefusal } from "./protocol/refusal.ts";
import type { Provider } from "./providers.ts";
import { checkedRelayState, parameterOf, readRedirectQuery } from "./xml/redirect-query.ts";
import type { PostedMessage } from "./xml/send.ts";
import { type MessageName, type ReadDeps, type ReadMessage, readPosted, readRedirected } from "./xml/verify-message.ts";

export type SamlRoutesDeps = SamlContext["routes"] & Pick<VisitContext, "pages" | "starts" | "sessions">;

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

type Read = ReadMessage<Provider>;

/** Waits for the metadata of a service provider that is being requested. */
async function readKnown(
  { providers, lookedFor }: SamlRoutesDeps,
  names: readonly MessageName[],
  read: (deps: ReadDeps<Provider>) => Read,
): Promise<Read> {
  let senderId = "";
  const findSender = (entityId: string): Provider | undefined => {
    senderId = entityId;
    return providers().sender(entityId);
  };
  return namingSender(
    () => senderId,
    async () => {
      try {
        return read({ findSender, names });
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "UPSTREAM_UNAVAILABLE") throw error;
      }
      await lookedFor(senderId);
      return read({ findSender, names });
    },
  );
}

/** The message of a GET. @throws SamlRefusal */
export async function readQuery(route: SamlRoutesDeps, visit: Visit, names: readonly MessageName[]): Promise<Read> {
  // Raw, because signatures cover exactly these characters.
  const query = readRedirectQuery(queryOf(visit.request.raw.url));
  return readKnown(route, names, (deps) => readRedirected(query, deps));
}

/** The message of a POST. @throws SamlRefusal */
export async function readForm(route: SamlRoutesDeps, { form }: Visit, names: readonly MessageName[]): Promise<Read> {
  const once = (name: string): string | undefined => {
    const values = form.getAll(name);
    if (values.length > 1) throw new SamlRefusal("parameters", `${name} occurs twice`);
    return values[0];
  };
  const parameter = parameterOf((name) => once(name) !== undefined);
  const posted = { parameter, message: once(parameter) ?? "", relayState: checkedRelayState(once("RelayState")) };
  return readKnown(route, names, (deps) => readPosted(posted, deps));
}
