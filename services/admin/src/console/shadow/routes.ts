import { type ShadowReport } from "@postern/shared/contracts";
import { type DifferenceKind, differenceKinds, type ShadowReports } from "@postern/shared/domain/shadow";
import { decidedInRedis } from "@postern/shared/platform/redis";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../../context.ts";
import { auditing, malformed, serve } from "../../read-request.ts";
import { numberOf, textOf } from "../query.ts";

const inRedis = decidedInRedis("the report of the shadow cannot be read or deleted");

function kindOf(text: string | undefined): DifferenceKind | undefined {
  const kind = differenceKinds.find((known) => known === text);
  if (text !== undefined && kind === undefined) throw malformed(`kind: must be one of ${differenceKinds.join(", ")}`);
  return kind;
}

function cursorOf(text: string | undefined): string | undefined {
  if (text !== undefined && !/^\d{1,15} ./u.test(text))
    throw malformed("cursor: must be the value of next from a previous page");
  return text;
}

const iso = (ms: number): string => new Date(ms).toISOString();

type Report = Awaited<ReturnType<ShadowReports["read"]>>;

function writtenReport(
  { sinceMs, lastMs, omitted, differences, next, ...counts }: Report,
  settings: Pick<ShadowReport, "is_on" | "order" | "percent" | "passwords">,
): ShadowReport {
  const omissions = { undecided_old: 0, undecided_new: 0, dropped: 0 };
  for (const { reason, requests } of omitted) omissions[reason] = requests;
  return {
    ...settings,
    ...(sinceMs !== undefined && { since: iso(sinceMs) }),
    ...(lastMs !== undefined && { last: iso(lastMs) }),
    ...counts,
    omitted: omissions,
    kinds: [...counts.kinds],
    protocols: [...counts.protocols],
    domains: [...counts.domains],
    differences: differences.map(({ timeMs, ...difference }) => ({ ...difference, time: iso(timeMs) })),
    ...(next !== undefined && { next }),
  };
}

const noReport = (reply: FastifyReply): FastifyReply =>
  reply.code(404).send({ error: "storage.redis.encryption_secret is not set" });

async function getReport({ query }: FastifyRequest, reply: FastifyReply, { shadowReports, live }: AdminContext) {
  const kind = kindOf(textOf(query, "kind"));
  const size = numberOf(query, "limit", { usual: 50, max: 500 });
  const cursor = cursorOf(textOf(query, "cursor"));
  if (shadowReports === undefined) return noReport(reply);
  const report = await inRedis(() => shadowReports.read({ kind, size, cursor }));
  return reply.header("cache-control", "no-store").send(writtenReport(report, live.current.shadow));
}

async function deleteReport(request: FastifyRequest, reply: FastifyReply, { shadowReports, audit }: AdminContext) {
  if (shadowReports === undefined) return noReport(reply);
  const { write, run } = auditing({ audit }, request, { event: "shadow.reset" });
  await run(() => inRedis(() => shadowReports.reset()));
  write("ok");
  return reply.code(204).send();
}

/** `/api/v1/shadow`: what `auth.shadow` has compared. */
export function registerShadow(app: FastifyInstance, context: AdminContext): void {
  serve(app, context, [
    ["showShadowReport", getReport],
    ["resetShadowReport", deleteReport],
  ]);
}
