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

/** Audits every outcome under the names of the accounts, and counts it. @returns undefined if the site alone may change it */
async function audited(
  { audit, adminMetrics }: AdminContext,
  request: FastifyRequest,
  { event, username, note }: Audited,
  change: () => Promise<SuspensionDone | undefined>,
): Promise<SuspensionDone | undefined> {
  const about = { event, ...auditedCaller(request.caller), session: sessionOf(request), note } as const;
  const write = (outcome: AuditOutcome, target: string, until?: string): void =>
    audit.record({ ...about, outcome, target, reason: until });
  const counted = (result: "ok" | "none" | "failed"): void =>
    adminMetrics.suspensionChanged(event === "account.suspend" ? "suspend" : "resume", result);
  try {
    const done = await change();
    const { accounts = [], until } = done ?? {};
    for (const account of accounts) write("ok", account, until);
    if (accounts.length === 0) write("denied", username);
    counted(accounts.length === 0 ? "none" : "ok");
    return done;
  } catch (error) {
    // Some accounts may have been changed.
    write("failed", username);
    counted("failed");
    throw error;
  }
}

function send(reply: FastifyReply, done: SuspensionDone | undefined): FastifyReply {
  reply.header("cache-control", "no-store");
  return done === undefined
    ? reply.code(403).send({ error: "the account was suspended by somebody who is not limited to domains" })
    : reply.send(done);
}

function isLimited({ caller }: FastifyRequest): boolean {
  return caller?.domains !== undefined;
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
    const change = { username, session: sessionOf(request), isLimited: isLimited(request) };
    const done = await audited(context, request, details, () =>
      changeSuspension.suspend({ ...change, lastsMs, reason: reason.trim(), by }),
    );
    return send(reply, done);
  };
}

function deleteSuspension(context: AdminContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { body } = request;
    if (!resumptionCheck.accepts(body)) throw malformed(resumptionCheck.explain(body));
    const { username } = body;
    const done = await audited(context, request, { event: "account.resume", username }, () =>
      context.changeSuspension.resume({ username, session: sessionOf(request), isLimited: isLimited(request) }),
    );
    return send(reply, done);
  };
}

function getSuspensions({ suspensions, domains }: AdminContext) {
  return async ({ caller }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const isVisible = caller?.domains && (await accountsFor(caller, domains));
    await suspensions.refresh();
    const visible = suspensions.all.filter(({ account }) => isVisible?.(account) !== false);
    const sorted = visible.toSorted((a, b) => b.sinceMs - a.sinceMs);
    const list: SuspensionList = { suspensions: sorted.map((one) => writtenSuspension(one, isVisible)) };
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
