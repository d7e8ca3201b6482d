import { randomUUID } from "node:crypto";
import { beginRehearsal, RehearsalRequest, type RehearsalRun } from "@postern/shared/contracts";
import { auditedCaller } from "@postern/shared/domain/audit";
import type { Rehearsals } from "@postern/shared/domain/rehearsals";
import { AppError } from "@postern/shared/platform/errors";
import { compileCheck } from "@postern/shared/platform/http";
import { decidedInRedis } from "@postern/shared/platform/redis";
import { steadyClock } from "@postern/shared/platform/time";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../../context.ts";
import { auditing, malformed, readBody, serve } from "../../read-request.ts";

/** Why there is no rehearsal. The pages have these sentences in their languages. */
export const refusals = {
  no_history: "the decision history is disabled, so there is nothing to rehearse with",
  busy: "another rehearsal is running",
  no_engine: "no engine that can rehearse is running: engines of an earlier version cannot",
} as const;
export const refusalKeys = ["no_history", "busy", "no_engine"] as const satisfies readonly (keyof typeof refusals)[];

const check = compileCheck(RehearsalRequest);
const inRedis = decidedInRedis("the rehearsal cannot be read or cancelled");

const iso = (ms: number): string => new Date(ms).toISOString();

/** A rehearsal as the interface writes it. */
function writtenRun(found: Awaited<ReturnType<Rehearsals["read"]>>): RehearsalRun {
  if (found === undefined) return { state: "none" };
  const { record, isLost, isCancelled } = found;
  const { by, startedMs, sinceMs, done, signIns, remainingMs, problems, report } = record;
  return {
    state: isLost ? "lost" : record.state,
    by,
    started: iso(startedMs),
    ...(sinceMs > 0 && { since: iso(sinceMs) }),
    ...(isCancelled && { cancelled: true }),
    done,
    sign_ins: signIns,
    ...(remainingMs !== undefined && !isLost && { remaining_seconds: Math.ceil(remainingMs / 1000) }),
    ...(problems.length > 0 && { problems }),
    ...(report && { report }),
  };
}

const refused = (reply: FastifyReply, status: number, error: string): FastifyReply =>
  reply.code(status).header("cache-control", "no-store").send({ error });

/** @throws AppError REQUEST_MALFORMED */
function requestIn(body: unknown): { readonly configuration: string; readonly sinceMs: number } {
  const { configuration, since } = readBody(check, body);
  const sinceMs = since === undefined ? 0 : Date.parse(since);
  if (!Number.isSafeInteger(sinceMs) || sinceMs < 0) throw malformed("since: must be a time after 1970");
  return { configuration, sinceMs };
}

type StartDeps = Pick<AdminContext, "rehearsals" | "bus" | "live" | "audit">;

/** `POST /api/v1/console/rehearsal` */
function postRehearsal({ rehearsals, bus, live, audit }: StartDeps) {
  const begin = async ({ configuration, sinceMs }: ReturnType<typeof requestIn>, by: string) => {
    const deadline = steadyClock.now() + live.current.decisionTimeoutMs;
    try {
      const body = { id: randomUUID(), by, configuration, sinceMs };
      return (await bus.request(beginRehearsal, body, { deadline })).outcome;
    } catch (error) {
      if (error instanceof AppError && error.code === "BUS_NO_RESPONDERS") return "no_engine";
      throw error;
    }
  };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const wanted = requestIn(request.body);
    const { sinceMs } = wanted;
    if (rehearsals === undefined) return refused(reply, 404, refusals.no_history);
    const { actor } = auditedCaller(request.caller);
    const about = { event: "rehearsal.start", ...(sinceMs > 0 && { target: iso(sinceMs) }) } as const;
    const { write, run } = auditing({ audit }, request, about);
    const outcome = await run(() => begin(wanted, actor ?? ""));
    write(outcome === "begun" ? "ok" : outcome === "busy" ? "denied" : "undecided");
    if (outcome === "no_engine") return refused(reply, 500, refusals.no_engine);
    if (outcome === "no_history") return refused(reply, 404, refusals.no_history);
    if (outcome !== "begun") return refused(reply, 409, refusals.busy);
    const begun: RehearsalRun = { state: "running", ...(actor !== undefined && { by: actor }) };
    return reply.code(202).header("cache-control", "no-store").send(begun);
  };
}

/** `GET /api/v1/console/rehearsal` */
async function getRehearsal(_request: FastifyRequest, reply: FastifyReply, context: Pick<AdminContext, "rehearsals">) {
  const { rehearsals } = context;
  if (rehearsals === undefined) return refused(reply, 404, refusals.no_history);
  const run = writtenRun(await inRedis(() => rehearsals.read()));
  return reply.header("cache-control", "no-store").send(run);
}

/** `DELETE /api/v1/console/rehearsal` */
async function deleteRehearsal(
  request: FastifyRequest,
  reply: FastifyReply,
  { rehearsals, audit }: Pick<AdminContext, "rehearsals" | "audit">,
): Promise<FastifyReply> {
  if (rehearsals === undefined) return refused(reply, 404, refusals.no_history);
  const { write, run } = auditing({ audit }, request, { event: "rehearsal.cancel" });
  if (await run(() => inRedis(() => rehearsals.cancel()))) write("ok");
  return reply.code(204).send();
}

/** `/api/v1/console/rehearsal`: a rehearsal that an engine runs. */
export function registerRehearsals(app: FastifyInstance, context: AdminContext): void {
  serve(app, context, [
    ["startRehearsal", postRehearsal(context)],
    ["showRehearsal", getRehearsal],
    ["cancelRehearsal", deleteRehearsal],
  ]);
}
