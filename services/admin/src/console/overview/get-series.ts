import type { SignInSeries } from "@postern/shared/contracts";
import { type ChartRange, isChartRange, objectives, type ReadRollups } from "@postern/shared/domain/rollups";
import { systemClock as clock } from "@postern/shared/platform/time";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../../context.ts";
import { malformed } from "../../read-request.ts";
import { numberOf, textOf, throwUnreadable } from "../query.ts";

const maxSteps = 360;
const minSteps = 10;

const isoOf = (ms: number): string => new Date(ms).toISOString();

const timesOf = (p50Ms: number | undefined, p99Ms: number | undefined) => ({
  ...(p50Ms !== undefined && { p50_ms: p50Ms }),
  ...(p99Ms !== undefined && { p99_ms: p99Ms }),
});

type Found = Awaited<ReturnType<ReadRollups>>;

function writtenStep({ timeMs, newBans, bans, p50Ms, p99Ms, ...counts }: Found["steps"][number]) {
  return {
    time: isoOf(timeMs),
    ...counts,
    new_bans: newBans,
    ...(bans !== undefined && { bans }),
    ...timesOf(p50Ms, p99Ms),
  };
}

function written(range: ChartRange, found: Found): SignInSeries {
  return {
    range,
    step_seconds: found.stepMs / 1000,
    steps: found.steps.map(writtenStep),
    protocols: found.protocols.filter(({ ok, failed }) => ok + failed > 0),
    ...timesOf(found.p50Ms, found.p99Ms),
    week_step_seconds: found.weekStepMs / 1000,
    week: found.week.map(({ timeMs, failures, weekBefore }) => ({
      time: isoOf(timeMs),
      failures,
      ...(weekBefore !== undefined && { week_before: weekBefore }),
    })),
    objective: { tempfail_share: objectives.tempfailShare, p99_ms: objectives.p99Ms },
  };
}

/** `GET /api/v1/console/series` */
export async function getSeries({ query }: FastifyRequest, reply: FastifyReply, { readRollups }: AdminContext) {
  const range = textOf(query, "range") ?? "1h";
  if (!isChartRange(range)) throw malformed("range: must be 1h, 3h, 24h, 7d or 14d");
  const steps = numberOf(query, "steps", { usual: maxSteps, max: maxSteps });
  if (steps < minSteps) throw malformed(`steps: must be a whole number, ${minSteps} to ${maxSteps}`);
  const found = await readRollups(range, steps, clock.now()).catch(throwUnreadable);
  return reply.header("cache-control", "no-store").send(written(range, found));
}
