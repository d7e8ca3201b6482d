import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import { otherDomain } from "../../flow/flow-record.ts";
import { acceptsDeviceInSaml } from "../../remembered-devices/accepted-requests.ts";
import { flowDemands } from "../../second-factors/sign-in-demands.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import type { VisitHandler } from "../../visit/page-routes.ts";
import { auditVisit, sendProblem, sendTo, sessionOf, type Visit } from "../../visit/visit.ts";
import { statusCodes } from "../protocol/names.ts";
import { namingSender } from "../protocol/refusal.ts";
import type { Provider } from "../providers.ts";
import { readForm, readQuery, refusing, type SamlRoutesDeps, sendPosted } from "../saml-visit.ts";
import type { ReadMessage } from "../xml/verify-message.ts";
import { contextClassOf } from "./judge-session.ts";
import type { SsoStep } from "./sso.ts";

/** @returns the id under which the request is stored. @throws SamlRefusal with the service provider */
function received({ sso }: SamlRoutesDeps, read: ReadMessage<Provider>): Promise<string> {
  return namingSender(
    () => read.sender.entityId,
    () => sso.receive(read),
  );
}

/**
 * `POST /saml/sso`: another site's form arrives without our Lax cookies, so the browser is redirected to repeat the
 * request by GET.
 */
export function postSso(deps: SamlRoutesDeps): VisitHandler {
  return refusing(deps, async (visit) => {
    const id = await received(deps, await readForm(deps, visit, ["AuthnRequest"]));
    return sendTo(visit.reply, `${pathTo("samlSignIn")}?${new URLSearchParams({ request: id }).toString()}`);
  });
}

type SignInStep = Extract<SsoStep, { step: "sign_in" }>;

function signIn(
  { starts, settings, audit }: SamlRoutesDeps,
  { request, reply, language }: Visit,
  { step, session }: { readonly step: SignInStep; readonly session: BrowserSessionRecord | undefined },
): Promise<string> {
  const { config, entityId } = step.provider;
  const { forceAuthn, requestedContext, loginHint } = step.pending;
  const client = {
    id: entityId,
    skipConsent: true,
    delayedResponse: config.delayed_response,
    ...(config.name === "" ? {} : { name: config.name }),
    ...flowDemands(config, settings().mfaPolicy),
    ...(config.domains.length > 0 && { domains: config.domains }),
  };
  const { reasons } = step;
  if (reasons.includes(otherDomain)) {
    const account = session?.account;
    const who = { actor: account, account, target: entityId };
    auditVisit(audit, request, {
      event: "user.login",
      outcome: "denied",
      ...who,
      reason: otherDomain,
      protocol: "saml",
    });
  }
  const isPasswordEnough = contextClassOf(["pwd"], requestedContext) !== undefined;
  return starts.startSaml(request.raw, reply.raw, {
    id: step.id,
    client,
    acceptsDevice: acceptsDeviceInSaml(client, { forceAuthn, isPasswordEnough }),
    loginHint,
    reasons,
    accountId: session?.account,
    languageTag: language?.tag,
  });
}

async function proceed(deps: SamlRoutesDeps, visit: Visit, id: string): Promise<FastifyReply> {
  const { sso, metrics, logger, pages } = deps;
  const session = await sessionOf(deps, visit);
  const step = await sso.proceed(id, session);
  switch (step.step) {
    case "expired":
      return sendProblem(pages, visit, "expired");
    case "sign_in":
      return sendTo(visit.reply, await signIn(deps, visit, { step, session }));
    case "post": {
      const { provider, status } = step;
      const isSuccess = status === statusCodes.success;
      metrics.answered(isSuccess ? "success" : "failure");
      const account = isSuccess ? session?.account : undefined;
      const caller = visit.request.caller?.session;
      logger.info({ session: caller, account, client: provider.entityId, status }, "SAML request answered");
      return sendPosted(deps, visit, step);
    }
  }
}

/** `GET /saml/sso`: a request of the Redirect binding, or, with `request`, one that was verified before. */
export function getSso(deps: SamlRoutesDeps): VisitHandler {
  return refusing(deps, async (visit) => {
    const waiting = visit.query("request");
    if (waiting !== undefined) return proceed(deps, visit, waiting);
    return proceed(deps, visit, await received(deps, await readQuery(deps, visit, ["AuthnRequest"])));
  });
}
