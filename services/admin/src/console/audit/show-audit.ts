import { AuditRecordPage } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { compileCheck } from "@postern/shared/platform/http";
import type { FastifyReply } from "fastify";
import type { Operator } from "../../operators/operator.ts";
import { ownForm } from "../console-form.ts";
import { type ConsoleVisit, forOperator, sendNotice, sendPage } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../deps.ts";
import { auditFieldsIn, auditQuery } from "./audit-fields.ts";
import { type AuditAnswer, auditPage } from "./audit-page.ts";

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
