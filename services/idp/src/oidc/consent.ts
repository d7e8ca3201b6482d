import { pathTo } from "@postern/shared/contracts";
import { mailScopes, type OidcClientConfig } from "@postern/shared/platform/config";
import type { FastifyReply } from "fastify";
import { applicationOf } from "../flow/application-of.ts";
import { csrfToken } from "../flow/browser-binding.ts";
import type { FlowRecord } from "../flow/flow-record.ts";
import { logoOf } from "../pages/policy-sources.ts";
import { type ConsentScope, consentDeniedPage, consentPage } from "../pages/templates/consent.ts";
import type { VisitContext } from "../visit/context.ts";
import { admit, formTargets, hrefIn } from "../visit/flow-visit.ts";
import type { VisitHandler } from "../visit/page-routes.ts";
import { auditVisit, lookOf, referenceIn, sendProblem, sendShown, type Visit } from "../visit/visit.ts";
import { scopesForClaims } from "./claims/client-claims.ts";
import type { OidcContext } from "./context.ts";
import { redirectTarget } from "./registration/registration.ts";
import type { OidcSettings } from "./settings/oidc-settings.ts";
import { wordsOf } from "./storage/models.ts";

/** Whether a user may deselect a scope (behaviour reference §1.7): in granular mode all but openid and required ones. */
function isOptional({ oidc }: OidcSettings, client: OidcClientConfig | undefined, name: string): boolean {
  if (client === undefined || name === "openid") return false;
  const { consent_mode: own, required_scopes: required, optional_scopes: optional } = client;
  const mode = own === "" ? oidc.consent.mode : own;
  return mode === "granular_optional" && !required.includes(name) && (optional.length === 0 || optional.includes(name));
}

export function describeScope(settings: OidcSettings, clientId: string, name: string): ConsentScope {
  const { oidc } = settings;
  const client = oidc.clients.find(({ client_id: id }) => id === clientId);
  const { mail_registration: mail, custom_scopes: ofSite } = oidc;
  const described = [...(client?.custom_scopes ?? []), ...ofSite, ...(mail.enabled ? mailScopes(mail) : [])];
  const custom = described.find((scope) => scope.name === name);
  const description = custom === undefined || custom.description === "" ? undefined : custom.description;
  return { name, description, optional: isOptional(settings, client, name) };
}

const clientName = ({ client }: FlowRecord): string => client?.name ?? client?.id ?? "";

/** What the user is asked for: scopes, and claims requested by name as the scopes to which they belong. */
export function scopesOf({ schedule, policies }: OidcContext, flow: FlowRecord): readonly ConsentScope[] {
  const { scopes = [], claims: named = [], resources = {} } = flow.missing ?? {};
  const clientId = flow.client?.id ?? "";
  const claims = policies().get(clientId)?.claims;
  const ofClaims =
    claims === undefined ? [] : scopesForClaims(claims, named, [...scopes, ...wordsOf(flow.params?.scope)]);
  const names = new Set([...scopes, ...Object.values(resources).flat(), ...ofClaims]);
  return [...names].map((scope) => describeScope(schedule.settings, clientId, scope));
}

function unverifiedTarget({ client, params }: FlowRecord): string | undefined {
  return client?.isUnverified === true ? redirectTarget(params?.redirectUri ?? "") : undefined;
}

/** `GET /oidc/consent`: the challenge is the flow's id. */
export function getConsent(oidc: OidcContext, context: VisitContext): VisitHandler {
  const { pages } = context;
  return async (visit) => {
    const consentVisit: Visit = {
      ...visit,
      query: (name) => visit.query(name === "flow" ? "consent_challenge" : name),
    };
    const passage = await admit(context, consentVisit, ["consent"]);
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
      scopes: scopesOf(oidc, flow),
      policyUrl: flow.client?.policyUri,
      termsUrl: flow.client?.tosUri,
    };
    const look = lookOf(pages, visit, flow);
    const options = { formTargets: formTargets(flow), imageSources };
    return sendShown(visit.reply, pages.show(consentPage, view, look, options));
  };
}

/** The scopes that the user selected; undefined if the form contains a scope that is not optional. */
function chosen(oidc: OidcContext, flow: FlowRecord, posted: readonly string[]): readonly string[] | undefined {
  const scopes = scopesOf(oidc, flow);
  const optional = new Set(scopes.filter((scope) => scope.optional).map(({ name }) => name));
  if (!posted.every((name) => optional.has(name))) return undefined;
  return scopes.filter((scope) => !scope.optional || posted.includes(scope.name)).map(({ name }) => name);
}

function showDenial(
  { pages }: VisitContext,
  visit: Visit,
  flow: FlowRecord,
  { returnTo }: { readonly returnTo: string },
): FastifyReply {
  visit.reply.header("refresh", `8; url=${returnTo}`);
  const look = lookOf(pages, { ...visit, path: "" }, flow);
  return sendShown(
    visit.reply,
    pages.show(consentDeniedPage, { client: clientName(flow), returnTo }, look, { status: 403 }),
  );
}

/** Gives both submissions of the same form the same answer: one code, and one redirect. */
async function answerAgain(
  { finish }: OidcContext,
  context: VisitContext,
  visit: Visit,
  flow: FlowRecord,
): Promise<FastifyReply> {
  const answer = await finish.repeatConsent(flow.id, flow.browser);
  if ("expired" in answer) return sendProblem(context.pages, visit, "expired", { flow });
  if ("returnTo" in answer) return showDenial(context, visit, flow, answer);
  const { status, headers, body } = answer;
  for (const [name, value] of Object.entries(headers)) {
    visit.reply.header(name, typeof value === "string" ? value : [...value]);
  }
  return visit.reply.code(status).send(body);
}

/** `POST /oidc/consent`: `allow` leads to the client with a code; anything else is a denial (ADR 0005). */
export function postConsent(oidc: OidcContext, context: VisitContext): VisitHandler {
  const { pages, gate, audit } = context;
  const { finish } = oidc;
  return async (visit) => {
    const passage = await admit(context, visit, ["consent"], (over) => answerAgain(oidc, context, visit, over));
    if (passage === undefined) return visit.reply;
    const { flow } = passage;
    const { form, reply, request } = visit;
    const scopes = chosen(oidc, flow, form.getAll("optional_scope"));
    if (scopes === undefined || form.one("consent_challenge") !== flow.id) return sendProblem(pages, visit, "request");
    const allowed = form.one("submit") === "allow";
    if ((await gate.move(flow, allowed ? "allowed" : "denied")) === undefined)
      return answerAgain(oidc, context, visit, flow);
    auditVisit(audit, request, {
      event: "consent.give",
      outcome: allowed ? "ok" : "denied",
      actor: flow.accountId,
      target: flow.client?.id,
    });
    if (!allowed) {
      const denied = await finish.denyConsent(flow.id);
      return "expired" in denied
        ? sendProblem(pages, visit, "expired", { flow })
        : showDenial(context, visit, flow, denied);
    }
    reply.hijack();
    const ended = await finish.finishConsent(flow.id, { scopes, remember: true }, request.raw, reply.raw);
    if (ended === undefined || reply.raw.headersSent) return reply;
    const look = lookOf(pages, { ...visit, path: "" }, flow);
    const { status, headers, body } = pages.expired(look, referenceIn(visit), applicationOf(flow));
    reply.raw.writeHead(status, { ...headers }).end(body);
    return reply;
  };
}
