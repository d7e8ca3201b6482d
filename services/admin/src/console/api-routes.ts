import { AccountQuery, type BanRecordPage, type Invitation, InvitationRequest } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { compileCheck } from "@postern/shared/platform/http";
import { steadyClock } from "@postern/shared/platform/time";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../context.ts";
import { auditedRequest, auditing, malformed, readBody, serve, sessionOf } from "../read-request.ts";
import { getAttacks } from "./attacks/get-attacks.ts";
import { getAudit } from "./audit/get-audit.ts";
import { getAuditExport } from "./audit/get-audit-export.ts";
import { getNetwork } from "./network/get-network.ts";
import { getOrigins } from "./origins/get-origins.ts";
import { getSeries } from "./overview/get-series.ts";
import { numberOf, textOf, throwUnreadable } from "./query.ts";
import { registerRehearsals } from "./rehearsal/rehearsal-api.ts";
import { getExplain, getRisk } from "./search/get-explain.ts";
import { getHistory } from "./search/get-history.ts";
import { getHistoryExport } from "./search/get-history-export.ts";
import { getWatch } from "./watch/get-watch.ts";
import { writtenBan } from "./written.ts";

/** `GET /api/v1/console/bans` */
async function getBans({ query }: FastifyRequest, reply: FastifyReply, { listBansByEnd, live }: AdminContext) {
  const order = textOf(query, "order") ?? "desc";
  if (order !== "asc" && order !== "desc") throw malformed("order: must be asc or desc");
  const size = numberOf(query, "limit", { usual: 50, max: 500 });
  const listQuery = { order, size, rule: textOf(query, "rule"), cursor: textOf(query, "cursor") } as const;
  const { bans, total, next } = await listBansByEnd(listQuery).catch(throwUnreadable);
  const page: BanRecordPage = {
    bans: bans.map((ban) => writtenBan(ban, live.current.flush.rules)),
    total,
    ...(next !== undefined && { next }),
  };
  return reply.header("cache-control", "no-store").send(page);
}

const accountCheck = compileCheck(AccountQuery);

/** `POST /api/v1/console/account` */
async function postAccount(request: FastifyRequest, reply: FastifyReply, { reportAccount, auditReads }: AdminContext) {
  const body = readBody(accountCheck, request.body);
  const report = await reportAccount(body, sessionOf(request));
  auditReads({ event: "account.read", ...auditedRequest(request), target: body.account });
  return reply.header("cache-control", "no-store").send(report);
}

/** `GET /api/v1/console/system` */
async function getSystem(_request: FastifyRequest, reply: FastifyReply, { describeSystem }: AdminContext) {
  return reply.header("cache-control", "no-store").send(await describeSystem());
}

const invitationCheck = compileCheck(InvitationRequest);

/** The console knows operators by the names that the sign-in pages give them; searches of other protocols may name them otherwise. */
async function invite({ invitations, namesOnPages }: AdminContext, username: string): Promise<Invitation> {
  const { accounts, isComplete } = await namesOnPages(username);
  const [account, ...others] = accounts;
  if (!isComplete) throw new AppError("DIRECTORY_UNAVAILABLE", { detail: "the account could not be looked up" });
  if (account === undefined || others.length > 0) throw malformed("username: must be the name of one account");
  const { code, expiresMs } = await invitations.issue(account);
  return { account, code, expires: new Date(expiresMs).toISOString() };
}

/** `POST /api/v1/console/invitations` */
async function postInvitation(request: FastifyRequest, reply: FastifyReply, context: AdminContext) {
  const { username: target } = readBody(invitationCheck, request.body);
  const { write, run } = auditing(context, request, { event: "console.invite", target });
  const invitation = await run(() => invite(context, target));
  write("ok");
  return reply.header("cache-control", "no-store").send(invitation);
}

export function registerConsole(app: FastifyInstance, context: AdminContext): void {
  serve(app, context, [
    ["explain", getExplain],
    ["explainRisk", getRisk],
    ["showNetwork", getNetwork(context)],
    ["listDecisions", getHistory(context)],
    ["exportDecisions", getHistoryExport({ ...context, clock: steadyClock })],
    ["listBansByEnd", getBans],
    ["showAttacks", getAttacks(context)],
    ["showSeries", getSeries],
    ["showOrigins", getOrigins],
    ["watchDecisions", getWatch(context)],
    ["listAuditRecords", getAudit(context)],
    ["exportAuditRecords", getAuditExport(context)],
    ["showAccount", postAccount],
    ["inviteOperator", postInvitation],
    ["showSystem", getSystem],
  ]);
  registerRehearsals(app, context);
}
