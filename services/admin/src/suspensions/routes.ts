import {
  type OperationId,
  operation,
  ResumptionRequest,
  type SuspensionDone,
  type SuspensionList,
  SuspensionRequest,
} from "@postern/shared/contracts";
import { type AuditOutcome, auditedCaller } from "@postern/shared/domain/audit";
import { accountsFor } from "@postern/shared/domain/domains";
import { compileCheck, guardedRoute } from "@postern/shared/platform/http";
import { parseDuration } from "@postern/shared/platform/time";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../context.ts";
import { malformed, sessionOf } from "../read-request.ts";
import { writtenSuspension } from "./written-suspension.ts";

const longestMs = 10 * 366 * 86_400_000;

const suspensionCheck = compileCheck(SuspensionRequest);
const resumptionCheck = compileCheck(ResumptionRequest);

/** Undefined: until it is resumed. */
function lastingMs(text: string): number | undefined {
  if (text === "") return undefined;
  const lastsMs = parseDuration(text);
  if (lastsMs === undefined || lastsMs < 1000 || lastsMs > longestMs)
    throw malformed("for: must be a duration of one second to ten years, such as 24h");
  return Math.ceil(lastsMs);
}

interface Audited {
  readonly event: "account.suspend" | "account.resume";
  readonly username: string;
  readonly note?: string | undefined;
}

/** Audits every outcome under the names of the accounts, and counts it. */
async function audited(
  { audit, adminMetrics }: AdminContext,
  request: FastifyRequest,
  { event, username, note }: Audited,
  change: () => Promise<SuspensionDone>,
): Promise<SuspensionDone> {
  const about = { event, ...auditedCaller(request.caller), session: sessionOf(request), note } as const;
  const write = (outcome: AuditOutcome, target: string, until?: string): void =>
    audit.record({ ...about, outcome, target, reason: until });
  const counted = (result: "ok" | "none" | "failed"): void =>
    adminMetrics.suspensionChanged(event === "account.suspend" ? "suspend" : "resume", result);
  try {
    const done = await change();
    for (const account of done.accounts) write("ok", account, done.until);
    if (done.accounts.length === 0) write("denied", username);
    counted(done.accounts.length === 0 ? "none" : "ok");
    return done;
  } catch (error) {
    // Some accounts may have been changed.
    write("failed", username);
    counted("failed");
    throw error;
  }
}

function postSuspension(context: AdminContext) {
  const { changeSuspension } = context;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { body, caller } = request;
    if (!suspensionCheck.accepts(body)) throw malformed(suspensionCheck.explain(body));
    const { username, for: lasts = "", reason = "" } = body;
    const lastsMs = lastingMs(lasts.trim());
    const { actor: by = "" } = auditedCaller(caller);
    const details = { event: "account.suspend", username, note: reason || undefined } as const;
    const done = await audited(context, request, details, () =>
      changeSuspension.suspend({ username, session: sessionOf(request), lastsMs, reason: reason.trim(), by }),
    );
    return reply.header("cache-control", "no-store").send(done);
  };
}

function deleteSuspension(context: AdminContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { body } = request;
    if (!resumptionCheck.accepts(body)) throw malformed(resumptionCheck.explain(body));
    const { username } = body;
    const done = await audited(context, request, { event: "account.resume", username }, () =>
      context.changeSuspension.resume({ username, session: sessionOf(request) }),
    );
    return reply.header("cache-control", "no-store").send(done);
  };
}

function getSuspensions({ suspensions, domains }: AdminContext) {
  return async ({ caller }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const isVisible = await accountsFor(caller, domains);
    await suspensions.refresh();
    const visible = suspensions.all.filter(({ account }) => isVisible(account));
    const list: SuspensionList = {
      suspensions: visible.toSorted((a, b) => b.sinceMs - a.sinceMs).map(writtenSuspension),
    };
    return reply.header("cache-control", "no-store").send(list);
  };
}

/** `/api/v1/suspensions`: accounts that operators have suspended. */
export function registerSuspensions(app: FastifyInstance, context: AdminContext): void {
  const guarded = (id: OperationId) => guardedRoute(operation(id), context.settings.identifier);
  app.route({ ...guarded("listSuspensions"), handler: getSuspensions(context) });
  app.route({ ...guarded("suspendAccount"), handler: postSuspension(context) });
  app.route({ ...guarded("resumeAccount"), handler: deleteSuspension(context) });
}
