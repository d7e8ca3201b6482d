import { AuditRecordPage, pathTo } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { compileCheck } from "@postern/shared/platform/http";
import type { FastifyReply } from "fastify";
import type { Operator } from "../../operators/operator.ts";
import { ownForm } from "../console-form.ts";
import { type ConsoleVisit, forOperator, goTo, originOf, sendNotice, sendPage } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { type AuditAnswer, type AuditFields, auditPage } from "./audit-page.ts";

/** The filter that a form has; empty without one. */
function auditFieldsIn(form: URLSearchParams | undefined): AuditFields {
  const of = (name: keyof AuditFields): string => form?.get(name)?.trim() ?? "";
  return {
    actor: of("actor"),
    target: of("target"),
    domain: of("domain"),
    event: of("event"),
    outcome: of("outcome"),
    since: of("since"),
    until: of("until"),
  };
}

/** What is given, as a query of the operation. */
function auditQuery(fields: AuditFields): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}

const check = compileCheck(AuditRecordPage);

async function answerTo(
  { ask }: ConsolePagesDeps,
  operator: Operator,
  query: Readonly<Record<string, string>>,
): Promise<AuditAnswer> {
  const { status, body } = await ask(operator, { operation: "listAuditRecords", query });
  if (status === 404) return "off";
  if (status === 400) return "invalid";
  if (status === 200 && check.accepts(body)) return body;
  throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `listAuditRecords returned ${status}` });
}

/** `GET /console/audit`: the latest records. `POST`: with a filter, which contains names and is therefore no part of the address. */
export function showAudit(deps: ConsolePagesDeps, route: "consoleAudit" | "consoleAuditFilter") {
  const handle = async (visit: ConsoleVisit): Promise<FastifyReply> => {
    const { request, reply, operator } = visit;
    const isGet = request.method === "GET";
    const form = isGet ? undefined : ownForm(deps, visit);
    if (!isGet && form === undefined) return sendNotice(deps, reply, "form", operator);
    const fields = auditFieldsIn(form);
    const cursor = form?.get("cursor") ?? "";
    const query = { ...auditQuery(fields), ...(cursor !== "" && { cursor }) };
    const answer = await answerTo(deps, operator, query);
    return sendPage(deps, reply, auditPage({ fields, answer, isFirst: cursor === "", operator }), operator);
  };
  return forOperator(deps, { route, handle });
}

const passedHeaders = ["content-type", "content-disposition", "cache-control", "x-content-type-options"] as const;

function auditRefusal({ audit }: ConsolePagesDeps, { request, operator }: ConsoleVisit, reason: string): void {
  audit.record({ event: "audit.export", outcome: "denied", actor: operator.account, reason, ...originOf(request) });
}

/** `POST /console/audit/export`: requires a sign-in with the second factor within the last five minutes. */
export function postAuditExport(deps: ConsolePagesDeps) {
  const handle = async (visit: ConsoleVisit): Promise<FastifyReply> => {
    const { reply, operator } = visit;
    const form = ownForm(deps, visit);
    if (form === undefined) return sendNotice(deps, reply, "form", operator);
    if (!operator.isRoleCurrent)
      throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "the operator's role is unknown" });
    if (!operator.isProved) {
      auditRefusal(deps, visit, "proof");
      // The page shows how to sign in again.
      return goTo(reply, pathTo("consoleAudit"));
    }
    const query = { ...auditQuery(auditFieldsIn(form)), format: form.get("format") ?? "csv" };
    const { statusCode, headers, body } = await deps.stream(operator, { operation: "exportAuditRecords", query });
    if (statusCode !== 200) {
      body.destroy();
      if (statusCode === 400) return sendNotice(deps, reply, "filter", operator);
      throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `exportAuditRecords returned ${statusCode}` });
    }
    for (const name of passedHeaders) {
      const value = headers[name];
      if (value !== undefined) reply.header(name, value);
    }
    return reply.send(body);
  };
  const onRefused = (visit: ConsoleVisit): void => auditRefusal(deps, visit, "role");
  return forOperator(deps, { route: "consoleAuditExport", handle, onRefused });
}
