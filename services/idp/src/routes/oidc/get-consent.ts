import { pathTo } from "@postern/shared/contracts";
import { csrfToken } from "../../flow/browser-binding.ts";
import type { FlowRecord } from "../../flow/flow-record.ts";
import { redirectTarget } from "../../oidc/registered/registration.ts";
import { logoOf } from "../../pages/policy-sources.ts";
import { consentPage } from "../../pages/templates/consent.ts";
import { admit, formTargets, hrefIn } from "../../visit/flow-visit.ts";
import type { VisitHandler } from "../../visit/page-routes.ts";
import { lookOf, sendShown, type Visit } from "../../visit/visit.ts";
import { type ConsentDeps, clientName, scopesOf } from "./consent-scopes.ts";

function unverifiedTarget({ client, params }: FlowRecord): string | undefined {
  return client?.isUnverified === true ? redirectTarget(params?.redirectUri ?? "") : undefined;
}

/** `GET /oidc/consent`: the challenge is the flow's id. */
export function getConsent(deps: ConsentDeps): VisitHandler {
  const { pages } = deps;
  return async (visit) => {
    const consentVisit: Visit = {
      ...visit,
      query: (name) => visit.query(name === "flow" ? "consent_challenge" : name),
    };
    const passage = await admit(deps, consentVisit, ["consent"]);
    if (passage === undefined) return visit.reply;
    const { flow, browserToken } = passage;
    const { logo, imageSources } = logoOf(flow.client?.logoUri);
    const view = {
      action: visit.language === undefined ? visit.path : `${visit.path}/${visit.language.tag}`,
      csrfToken: csrfToken(flow.id, browserToken),
      client: clientName(flow),
      unverifiedTarget: unverifiedTarget(flow),
      logo,
      other: hrefIn(pathTo("restartLogin"), visit, flow),
      account: flow.accountId ?? "",
      challenge: flow.id,
      state: flow.params?.state ?? "",
      scopes: scopesOf(deps, flow),
      policyUrl: flow.client?.policyUri,
      termsUrl: flow.client?.tosUri,
    };
    const look = lookOf(pages, visit, flow);
    const options = { formTargets: formTargets(flow), imageSources };
    return sendShown(visit.reply, pages.show(consentPage, view, look, options));
  };
}
