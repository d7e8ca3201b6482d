import { pathTo } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import type { FastifyReply } from "fastify";
import { ownForm } from "../console-form.ts";
import { type ConsoleVisit, forOperator, goTo, originOf, sendNotice } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../deps.ts";
import { auditFieldsIn, auditQuery } from "./audit-fields.ts";

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
