import { type Invitation, InvitationRequest, type OperationId, operation } from "@postern/shared/contracts";
import { type AuditOutcome, auditedCaller } from "@postern/shared/domain/audit";
import { AppError } from "@postern/shared/platform/errors";
import { compileCheck, guardedRoute } from "@postern/shared/platform/http";
import { steadyClock } from "@postern/shared/platform/time";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../context.ts";
import { malformed, sessionOf } from "../read-request.ts";
import { postAccount } from "./account/post-account.ts";
import { getAttacks } from "./attacks/get-attacks.ts";
import { getAudit } from "./audit/get-audit.ts";
import { getAuditExport } from "./audit/get-audit-export.ts";
import { getBans } from "./bans/get-bans.ts";
import { getNetwork } from "./network/get-network.ts";
import { getOrigins } from "./origins/get-origins.ts";
import { getSeries } from "./overview/get-series.ts";
import { registerRehearsals } from "./rehearsal/rehearsal-api.ts";
import { getExplain } from "./search/get-explain.ts";
import { getHistory } from "./search/get-history.ts";
import { getHistoryExport } from "./search/get-history-export.ts";
import { getRisk } from "./search/get-risk.ts";
import { getWatch } from "./watch/get-watch.ts";

/** `GET /api/v1/console/system` */
function getSystem({ describeSystem }: AdminContext) {
  return async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    reply.header("cache-control", "no-store").send(await describeSystem());
}

const check = compileCheck(InvitationRequest);

/**
 * `POST /api/v1/console/invitations`. The console knows operators by the names that the sign-in pages give them; searches of other
 * protocols may name them otherwise.
 */
function postInvitation({ invitations, namesOnPages, audit }: AdminContext) {
  const invite = async (username: string): Promise<Invitation> => {
    const { accounts, isComplete } = await namesOnPages(username);
    const [account, ...others] = accounts;
    if (!isComplete) throw new AppError("DIRECTORY_UNAVAILABLE", { detail: "the account could not be looked up" });
    if (account === undefined || others.length > 0) throw malformed("username: must be the name of one account");
    const { code, expiresMs } = await invitations.issue(account);
    return { account, code, expires: new Date(expiresMs).toISOString() };
  };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { body, caller } = request;
    if (!check.accepts(body)) throw malformed(check.explain(body));
    const { username: target } = body;
    const write = (outcome: AuditOutcome): void =>
      audit.record({ event: "console.invite", outcome, ...auditedCaller(caller), target, session: sessionOf(request) });
    const invitation = await invite(target).catch((error: unknown) => {
      write("undecided");
      throw error;
    });
    write("ok");
    return reply.header("cache-control", "no-store").send(invitation);
  };
}

export function registerConsole(app: FastifyInstance, context: AdminContext): void {
  const { settings, live } = context;
  const guarded = (id: OperationId) => guardedRoute(operation(id), settings.identifier);
  app.route({ ...guarded("explain"), handler: getExplain(context) });
  app.route({ ...guarded("explainRisk"), handler: getRisk(context) });
  app.route({ ...guarded("showNetwork"), handler: getNetwork(context) });
  app.route({ ...guarded("listDecisions"), handler: getHistory(context) });
  app.route({ ...guarded("exportDecisions"), handler: getHistoryExport({ ...context, clock: steadyClock }) });
  app.route({
    ...guarded("listBansByEnd"),
    handler: getBans(context.listBansByEnd, () => live.current.flush.rules),
  });
  app.route({ ...guarded("showAttacks"), handler: getAttacks(context) });
  app.route({ ...guarded("showSeries"), handler: getSeries(context.readRollups) });
  app.route({ ...guarded("showOrigins"), handler: getOrigins(context) });
  app.route({ ...guarded("watchDecisions"), handler: getWatch(context) });
  app.route({ ...guarded("listAuditRecords"), handler: getAudit(context) });
  app.route({ ...guarded("exportAuditRecords"), handler: getAuditExport(context) });
  app.route({ ...guarded("showAccount"), handler: postAccount(context) });
  app.route({ ...guarded("inviteOperator"), handler: postInvitation(context) });
  registerRehearsals(app, context);
  app.route({ ...guarded("showSystem"), handler: getSystem(context) });
}
