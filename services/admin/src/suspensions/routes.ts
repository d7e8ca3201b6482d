import {
  ResumptionRequest,
  type SuspensionDone,
  type SuspensionList,
  SuspensionRequest,
} from "@postern/shared/contracts";
import { auditedCaller } from "@postern/shared/domain/audit";
import { accountsFor } from "@postern/shared/domain/domains";
import { compileCheck } from "@postern/shared/platform/http";
import { parseDuration } from "@postern/shared/platform/time";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../context.ts";
import { auditing, malformed, readBody, serve, sessionOf } from "../read-request.ts";
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
  const { write, run } = auditing({ audit }, request, { event, note, target: username });
  const counted = (result: "ok" | "none" | "failed"): void =>
    adminMetrics.suspensionChanged(event === "account.suspend" ? "suspend" : "resume", result);
  // Some accounts may have been changed before a failure.
  const done = await run(change, "failed").catch((error: unknown) => {
    counted("failed");
    throw error;
  });
  const { accounts = [], until } = done ?? {};
  for (const target of accounts) write("ok", { target, reason: until });
  if (accounts.length === 0) write("denied");
  counted(accounts.length === 0 ? "none" : "ok");
  return done;
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
    const { username, for: lasts = "", reason = "" } = readBody(suspensionCheck, request.body);
    const lastsMs = lastingMs(lasts.trim());
    const { actor: by = "" } = auditedCaller(request.caller);
    const details = { event: "account.suspend", username, note: reason || undefined } as const;
    const change = { username, session: sessionOf(request), isLimited: isLimited(request) };
    const done = await audited(context, request, details, () =>
      changeSuspension.suspend({ ...change, lastsMs, reason: reason.trim(), by }),
    );
    return send(reply, done);
  };
}

async function deleteSuspension(request: FastifyRequest, reply: FastifyReply, context: AdminContext) {
  const { username } = readBody(resumptionCheck, request.body);
  const done = await audited(context, request, { event: "account.resume", username }, () =>
    context.changeSuspension.resume({ username, session: sessionOf(request), isLimited: isLimited(request) }),
  );
  return send(reply, done);
}

async function getSuspensions({ caller }: FastifyRequest, reply: FastifyReply, { suspensions, domains }: AdminContext) {
  const isVisible = caller?.domains && (await accountsFor(caller, domains));
  await suspensions.refresh();
  const visible = suspensions.all.filter(({ account }) => isVisible?.(account) !== false);
  const sorted = visible.toSorted((a, b) => b.sinceMs - a.sinceMs);
  const list: SuspensionList = { suspensions: sorted.map((one) => writtenSuspension(one, isVisible)) };
  return reply.header("cache-control", "no-store").send(list);
}

/** `/api/v1/suspensions`: accounts that operators have suspended. */
export function registerSuspensions(app: FastifyInstance, context: AdminContext): void {
  serve(app, context, [
    ["listSuspensions", getSuspensions],
    ["suspendAccount", postSuspension(context)],
    ["resumeAccount", deleteSuspension],
  ]);
}
