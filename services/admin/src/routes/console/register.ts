import { type OperationId, operation } from "@postern/shared/contracts";
import { guardedRoute } from "@postern/shared/platform/http";
import { systemClock as clock } from "@postern/shared/platform/time";
import type { FastifyInstance } from "fastify";
import type { AdminContext } from "../../context.ts";
import { getAttacks } from "./get-attacks.ts";
import { getAudit } from "./get-audit.ts";
import { getAuditExport } from "./get-audit-export.ts";
import { getBans } from "./get-bans.ts";
import { getExplain } from "./get-explain.ts";
import { getHistory } from "./get-history.ts";
import { getRisk } from "./get-risk.ts";
import { getSystem } from "./get-system.ts";
import { postAccount } from "./post-account.ts";
import { postInvitation } from "./post-invitation.ts";

export function registerConsole(app: FastifyInstance, context: AdminContext): void {
  const { settings, live } = context;
  const guarded = (id: OperationId) => guardedRoute(operation(id), settings.identifier);
  app.route({ ...guarded("explain"), handler: getExplain(context) });
  app.route({ ...guarded("explainRisk"), handler: getRisk(context) });
  app.route({ ...guarded("listDecisions"), handler: getHistory(context) });
  app.route({
    ...guarded("listBansByEnd"),
    handler: getBans({ ...context, rules: () => live.current.flush.rules }),
  });
  app.route({ ...guarded("showAttacks"), handler: getAttacks({ ...context, clock }) });
  app.route({ ...guarded("listAuditRecords"), handler: getAudit(context) });
  app.route({ ...guarded("exportAuditRecords"), handler: getAuditExport(context) });
  app.route({ ...guarded("showAccount"), handler: postAccount(context) });
  app.route({ ...guarded("inviteOperator"), handler: postInvitation(context) });
  app.route({ ...guarded("showSystem"), handler: getSystem(context) });
}
