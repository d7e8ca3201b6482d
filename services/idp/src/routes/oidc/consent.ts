import { pathTo } from "@postern/shared/contracts";
import { csrfToken } from "../../flow/browser-binding.ts";
import type { ConsentEnd } from "../../flow/flow-port.ts";
import type { FlowRecord } from "../../flow/flow-record.ts";
import { logoOf } from "../../pages/security-headers.ts";
import { type ConsentScope, consentDeniedPage, consentPage } from "../../pages/templates/consent.ts";
import { auditVisit } from "../audit-visit.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { admit, formTargets, hrefIn, lookOf, referenceIn, sendProblem, sendShown, type Visit } from "../visit.ts";

export interface ConsentDeps extends Pick<LoginDeps, "pages" | "gate" | "audit"> {
  readonly consent: ConsentEnd;
  /** Which requested scopes are optional, and the descriptions of custom ones. */
  readonly describe: (flow: FlowRecord, scope: string) => ConsentScope;
}

const clientName = ({ client }: FlowRecord): string => client?.name ?? client?.id ?? "";

function scopesOf({ describe }: ConsentDeps, flow: FlowRecord): readonly ConsentScope[] {
  const { scopes = [], resources = {} } = flow.missing ?? {};
  return [...new Set([...scopes, ...Object.values(resources).flat()])].map((scope) => describe(flow, scope));
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

/** The scopes that the user selected; undefined if the form contains a scope that is not optional. */
function chosen(deps: ConsentDeps, flow: FlowRecord, posted: readonly string[]): readonly string[] | undefined {
  const scopes = scopesOf(deps, flow);
  const optional = new Set(scopes.filter((scope) => scope.optional).map(({ name }) => name));
  if (!posted.every((name) => optional.has(name))) return undefined;
  return scopes.filter((scope) => !scope.optional || posted.includes(scope.name)).map(({ name }) => name);
}

/** `POST /oidc/consent`: `allow` leads to the client with a code; anything else is a denial (ADR 0005). */
export function postConsent(deps: ConsentDeps): VisitHandler {
  const { pages, gate, consent, audit } = deps;
  return async (visit) => {
    const passage = await admit(deps, visit, ["consent"]);
    if (passage === undefined) return visit.reply;
    const { flow } = passage;
    const { form, reply, request } = visit;
    const scopes = chosen(deps, flow, form.all("optional_scope"));
    if (scopes === undefined || form.one("consent_challenge") !== flow.id) return sendProblem(pages, visit, "request");
    const allowed = form.one("submit") === "allow";
    if ((await gate.move(flow, allowed ? "allowed" : "denied")) === undefined) {
      return sendProblem(pages, visit, "expired");
    }
    auditVisit(audit, request, {
      event: "consent.give",
      outcome: allowed ? "ok" : "denied",
      actor: flow.accountId,
      target: flow.client?.id,
    });
    if (!allowed) {
      const denied = await consent.denyConsent(flow.id);
      if ("expired" in denied) return sendProblem(pages, visit, "expired");
      const view = { client: clientName(flow), returnTo: denied.returnTo };
      reply.header("refresh", `8; url=${denied.returnTo}`);
      const look = lookOf(pages, { ...visit, path: "" }, flow);
      return sendShown(reply, pages.show(consentDeniedPage, view, look, { status: 403 }));
    }
    reply.hijack();
    const ended = await consent.finishConsent(flow.id, { scopes, remember: true }, request.raw, reply.raw);
    if (ended === undefined || reply.raw.headersSent) return reply;
    const look = lookOf(pages, { ...visit, path: "" }, flow);
    const { status, headers, body } = pages.expired(look, referenceIn(visit));
    reply.raw.writeHead(status, { ...headers }).end(body);
    return reply;
  };
}
