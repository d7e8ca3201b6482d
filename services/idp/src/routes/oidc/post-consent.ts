import type { FastifyReply } from "fastify";
import { applicationOf } from "../../flow/application-of.ts";
import type { FlowRecord } from "../../flow/flow-record.ts";
import { consentDeniedPage } from "../../pages/templates/consent.ts";
import { admit } from "../../visit/flow-visit.ts";
import type { VisitHandler } from "../../visit/page-routes.ts";
import { auditVisit, lookOf, referenceIn, sendProblem, sendShown, type Visit } from "../../visit/visit.ts";
import { type ConsentDeps, clientName, scopesOf } from "./consent-scopes.ts";

/** The scopes that the user selected; undefined if the form contains a scope that is not optional. */
function chosen(deps: ConsentDeps, flow: FlowRecord, posted: readonly string[]): readonly string[] | undefined {
  const scopes = scopesOf(deps, flow);
  const optional = new Set(scopes.filter((scope) => scope.optional).map(({ name }) => name));
  if (!posted.every((name) => optional.has(name))) return undefined;
  return scopes.filter((scope) => !scope.optional || posted.includes(scope.name)).map(({ name }) => name);
}

function showDenial(
  { pages }: ConsentDeps,
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
async function answerAgain(deps: ConsentDeps, visit: Visit, flow: FlowRecord): Promise<FastifyReply> {
  const answer = await deps.consent.repeatConsent(flow.id, flow.browser);
  if ("expired" in answer) return sendProblem(deps.pages, visit, "expired", { flow });
  if ("returnTo" in answer) return showDenial(deps, visit, flow, answer);
  const { status, headers, body } = answer;
  for (const [name, value] of Object.entries(headers)) {
    visit.reply.header(name, typeof value === "string" ? value : [...value]);
  }
  return visit.reply.code(status).send(body);
}

/** `POST /oidc/consent`: `allow` leads to the client with a code; anything else is a denial (ADR 0005). */
export function postConsent(deps: ConsentDeps): VisitHandler {
  const { pages, gate, consent, audit } = deps;
  return async (visit) => {
    const passage = await admit(deps, visit, ["consent"], (over) => answerAgain(deps, visit, over));
    if (passage === undefined) return visit.reply;
    const { flow } = passage;
    const { form, reply, request } = visit;
    const scopes = chosen(deps, flow, form.all("optional_scope"));
    if (scopes === undefined || form.one("consent_challenge") !== flow.id) return sendProblem(pages, visit, "request");
    const allowed = form.one("submit") === "allow";
    if ((await gate.move(flow, allowed ? "allowed" : "denied")) === undefined) return answerAgain(deps, visit, flow);
    auditVisit(audit, request, {
      event: "consent.give",
      outcome: allowed ? "ok" : "denied",
      actor: flow.accountId,
      target: flow.client?.id,
    });
    if (!allowed) {
      const denied = await consent.denyConsent(flow.id);
      return "expired" in denied
        ? sendProblem(pages, visit, "expired", { flow })
        : showDenial(deps, visit, flow, denied);
    }
    reply.hijack();
    const ended = await consent.finishConsent(flow.id, { scopes, remember: true }, request.raw, reply.raw);
    if (ended === undefined || reply.raw.headersSent) return reply;
    const look = lookOf(pages, { ...visit, path: "" }, flow);
    const { status, headers, body } = pages.expired(look, referenceIn(visit), applicationOf(flow));
    reply.raw.writeHead(status, { ...headers }).end(body);
    return reply;
  };
}
