import type { RedisClient } from "../../platform/redis/client.ts";
import { rollupKey } from "../../platform/redis/keys/counts.ts";
import { chunksOf, defineVariableScript, textsIn } from "../../platform/redis/script.ts";
import {
  addCounts,
  byOutcome,
  type ChartOutcome,
  chartOutcomes,
  chartProtocols,
  latencyQuantile,
  newCounts,
  newSums,
  positions,
  type RollupCounts,
  rollupFields,
} from "./counters.ts";
import { type ChartRange, chartRanges, type RollupSeries, rollupSeries } from "./periods.ts";
import readRollupsLua from "./scripts/read-rollups.lua?raw";

/** The objectives of deploy/monitoring/slo.yaml, as far as engines see them. */
export const objectives = { tempfailShare: 0.001, p99Ms: 500 } as const;

const failed = ["wrong_password", "unknown_user", "denied", "blocked"] as const satisfies readonly ChartOutcome[];

const weekMs = 7 * 86_400_000;

/** Counts of a step of a chart, which consists of one or more periods. */
interface Step {
  readonly timeMs: number;
  readonly counts: RollupCounts;
  /** Bans in force at the end of the step; undefined while no engine has counted them. */
  readonly bans: number | undefined;
}

const countOf = (counts: RollupCounts, position: number): number => counts[position] ?? 0;

const failuresOf = (counts: RollupCounts): number =>
  failed.reduce((sum, outcome) => sum + countOf(counts, positions.outcomes[outcome]), 0);

const indexes: ReadonlyMap<string, number> = new Map(rollupFields.map((field, index) => [field, index]));

function summaryOf({ timeMs, counts, bans }: Step) {
  return {
    timeMs,
    ...byOutcome((outcome) => countOf(counts, positions.outcomes[outcome])),
    newBans: countOf(counts, positions.newBans),
    bans,
    suspicious: countOf(counts, positions.suspicious),
    p50Ms: latencyQuantile(counts, 0.5),
    p99Ms: latencyQuantile(counts, 0.99),
  };
}

/** Adds up periods to steps that begin at multiples of their length. */
export function foldSteps(periods: readonly Step[], stepMs: number): readonly Step[] {
  const steps = new Map<number, Step>();
  for (const { timeMs, counts, bans } of periods) {
    const start = Math.floor(timeMs / stepMs) * stepMs;
    const known = steps.get(start);
    const sum = known?.counts ?? newCounts();
    addCounts(sum, counts);
    steps.set(start, { timeMs: start, counts: sum, bans: bans ?? known?.bans });
  }
  return [...steps.values()];
}

const periodsAtATime = 64;

/** Reads periods as engines wrote them. Counts of fields that are not read are 0. */
function createPeriods(redis: RedisClient, keyPrefix: string) {
  const run = defineVariableScript(redis, { name: "readRollups", lua: readRollupsLua }, 1);
  const readPeriods = async (
    series: RollupSeries,
    numbers: readonly number[],
    fields: readonly string[] = [...rollupFields, "bans"],
  ): Promise<readonly Step[]> => {
    const { stepMs } = rollupSeries[series];
    const keys = numbers.map((number) => rollupKey.build(keyPrefix, series, String(number)));
    const replies = await Promise.all(
      chunksOf(keys, periodsAtATime).map((part) => run(part.slice(0, 1), [fields.length, ...fields, ...part])),
    );
    const found = replies.flatMap(textsIn);
    const places = fields.map((field) => indexes.get(field));
    const bansAt = fields.indexOf("bans");
    return found.map((text, index) => {
      const counts = newCounts();
      const values = text.split(",");
      for (const [position, place] of places.entries()) {
        if (place !== undefined) counts[place] = Number(values[position]);
      }
      const bans = values[bansAt] ?? "";
      return { timeMs: (numbers[index] ?? 0) * stepMs, counts, bans: bans === "" ? undefined : Number(bans) };
    });
  };
  /** Outcomes of the hours a week before these, under the times of these. */
  const readWeekBefore = async (hours: readonly number[]): Promise<readonly Step[]> => {
    const numbers = hours.map((hour) => hour - weekMs / rollupSeries.hours.stepMs);
    const steps = await readPeriods("hours", numbers, chartOutcomes);
    return steps.map((step) => ({ ...step, timeMs: step.timeMs + weekMs }));
  };
  return { readPeriods, readWeekBefore };
}

/** The numbers of the periods from one to another. */
const numbersOf = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

export function createRollupReader(redis: RedisClient, keyPrefix: string) {
  const { readPeriods, readWeekBefore } = createPeriods(redis, keyPrefix);
  /** Failures by hour; undefined where no engine counted anything a week before. @param reading the same hours, if they are being read anyway */
  const readWeek = async (
    { fromMs, toMs, stepMs }: { readonly fromMs: number; readonly toMs: number; readonly stepMs: number },
    reading: Promise<readonly Step[]> | undefined,
  ) => {
    const { stepMs: hourMs } = rollupSeries.hours;
    const first = Math.floor(fromMs / hourMs);
    const hours = numbersOf(first, Math.floor(toMs / hourMs));
    const [all, before] = await Promise.all([
      reading ?? readPeriods("hours", hours, chartOutcomes),
      readWeekBefore(hours),
    ]);
    const now = all.filter(({ timeMs }) => timeMs >= first * hourMs);
    const earlier = foldSteps(before, stepMs);
    return foldSteps(now, stepMs).map(({ timeMs, counts }, index) => {
      const then = earlier[index];
      const wasCounted = then !== undefined && then.counts.some((count) => count > 0);
      return { timeMs, failures: failuresOf(counts), weekBefore: wasCounted ? failuresOf(then.counts) : undefined };
    });
  };
  /** @param maxSteps the steps are as long as necessary for at most about so many. */
  return async (range: ChartRange, maxSteps: number, nowMs: number) => {
    const { series, periods } = chartRanges[range];
    const { stepMs: periodMs } = rollupSeries[series];
    const stepMs = periodMs * Math.ceil(periods / maxSteps);
    const fromMs = Math.floor((nowMs - (periods - 1) * periodMs) / stepMs) * stepMs;
    const weekStepMs = Math.max(stepMs, rollupSeries.hours.stepMs);
    const lengthMs = Math.min(weekMs, Math.max(86_400_000, periods * periodMs));
    const weekFromMs = Math.floor((nowMs - lengthMs) / weekStepMs + 1) * weekStepMs;
    const reading = readPeriods(series, numbersOf(fromMs / periodMs, Math.floor(nowMs / periodMs)));
    const isInHours = series === "hours" && fromMs <= weekFromMs;
    const weekRange = { fromMs: weekFromMs, toMs: nowMs, stepMs: weekStepMs };
    const [found, week] = await Promise.all([reading, readWeek(weekRange, isInHours ? reading : undefined)]);
    const total = newSums();
    for (const { counts } of found) addCounts(total, counts);
    const of = (field: string): number => countOf(total, indexes.get(field) ?? -1);
    return {
      stepMs,
      steps: foldSteps(found, stepMs).map(summaryOf),
      weekStepMs,
      week,
      protocols: chartProtocols.map((protocol) => ({
        protocol,
        ok: of(`${protocol}:ok`),
        failed: of(`${protocol}:failed`),
      })),
      p50Ms: latencyQuantile(total, 0.5),
      p99Ms: latencyQuantile(total, 0.99),
    };
  };
}

export type ReadRollups = ReturnType<typeof createRollupReader>;

/** Sign-ins of ten minutes that were decided. */
export interface TenMinutes {
  readonly timeMs: number;
  readonly admitted: number;
  readonly refused: number;
}

const decided = ({ timeMs, counts }: Step): TenMinutes => ({
  timeMs,
  admitted: countOf(counts, positions.outcomes.ok) + countOf(counts, positions.outcomes.cached),
  refused: failuresOf(counts),
});

/** Reads the ten minutes of a day, oldest first, and the hours a week before them; undefined where nothing was counted then. */
export function createDayReader(redis: RedisClient, keyPrefix: string) {
  const { readPeriods, readWeekBefore } = createPeriods(redis, keyPrefix);
  return async (nowMs: number) => {
    const { tens, hours } = rollupSeries;
    const last = Math.floor(nowMs / tens.stepMs);
    const lastHour = Math.floor(nowMs / hours.stepMs);
    const [steps, before] = await Promise.all([
      readPeriods("tens", numbersOf(last - tens.kept + 1, last), chartOutcomes),
      readWeekBefore(numbersOf(lastHour - 24, lastHour)),
    ]);
    const usual = new Map(before.map((step) => [step.timeMs, decided(step)]));
    return {
      steps: steps.map(decided),
      /** A sixth of the same hour a week before. */
      weekBefore: (timeMs: number): Omit<TenMinutes, "timeMs"> | undefined => {
        const hour = usual.get(Math.floor(timeMs / hours.stepMs) * hours.stepMs);
        return hour === undefined || hour.admitted + hour.refused === 0
          ? undefined
          : { admitted: hour.admitted / 6, refused: hour.refused / 6 };
      },
    };
  };
}

export type ReadDay = ReturnType<typeof createDayReader>;
