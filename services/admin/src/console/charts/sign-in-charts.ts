import type { SignInSeries } from "@postern/shared/contracts";
import { axisText, countText, millisecondsText, percentText, t } from "../../texts/texts.ts";
import type { Chart } from "./chart.ts";
import { linearTicks, logTicks } from "./scales.ts";

type Step = SignInSeries["steps"][number];

export const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const highestOf = (values: readonly number[]): number => Math.max(0, ...values);

export const decisionsOf = (step: Step): number => step.ok + step.cached + refusedOf(step) + step.tempfail;
export const refusedOf = ({ wrong_password: wrong, unknown_user: unknown, denied, blocked }: Step): number =>
  wrong + unknown + denied + blocked;

type Base = Pick<Chart, "times" | "stepMs">;

const timesOf = ({ steps, step_seconds: seconds }: SignInSeries): Base => ({
  times: steps.map(({ time }) => Date.parse(time)),
  stepMs: seconds * 1000,
});

/** Of charts of what is counted. */
export const counted = {
  tickText: axisText,
  valueText: countText,
  joined: sumOf,
  total: (values: readonly number[]) => countText(sumOf(values)),
} as const;

/** Sign-ins by outcome, stacked. */
export function outcomesChart(series: SignInSeries): Chart {
  const { steps } = series;
  const all = steps.map(decisionsOf);
  const of = (pick: (step: Step) => number) => steps.map(pick);
  const refused = sumOf(of(refusedOf));
  return {
    ...timesOf(series),
    ...counted,
    title: t("chart.outcomes"),
    description: t("chart.outcomes_about", { all: sumOf(all), refused, highest: highestOf(all) }),
    series: [
      { name: t("col.successes"), colour: "ok", shape: "bars", values: of(({ ok }) => ok) },
      { name: t("chart.cached"), colour: "cached", shape: "bars", values: of(({ cached }) => cached) },
      { name: t("chart.wrong"), colour: "wrong", shape: "bars", values: of((step) => step.wrong_password) },
      { name: t("chart.unknown"), colour: "unknown", shape: "bars", values: of((step) => step.unknown_user) },
      { name: t("chart.denied"), colour: "denied", shape: "bars", values: of(({ denied }) => denied) },
      { name: t("chart.blocked"), colour: "blocked", shape: "bars", values: of(({ blocked }) => blocked) },
      { name: t("standing.tempfail"), colour: "tempfail", shape: "bars", values: of(({ tempfail }) => tempfail) },
    ],
    ticks: linearTicks(highestOf(all)),
  };
}

/** Refusals beside those of the week before. */
export function weekChart({ week, week_step_seconds: seconds }: SignInSeries): Chart {
  const [now, before] = [week.map(({ failures }) => failures), week.map(({ week_before: then }) => then)];
  const known = before.filter((then) => then !== undefined);
  return {
    ...counted,
    times: week.map(({ time }) => Date.parse(time)),
    stepMs: seconds * 1000,
    title: week.length * seconds > 172_800 ? t("chart.week_7d") : t("chart.week_24h"),
    description:
      known.length === 0
        ? t("chart.week_first", { now: sumOf(now) })
        : t("chart.week_about", { now: sumOf(now), before: sumOf(known) }),
    series: [
      { name: t("col.refused"), colour: "wrong", shape: "bars", values: now },
      ...(known.length > 0
        ? [{ name: t("chart.before"), colour: "before", shape: "dashes", values: before } as const]
        : []),
    ],
    ticks: linearTicks(highestOf([...now, ...known])),
  };
}

/** Temporary failures as a part of the decisions. */
export function tempfailChart(series: SignInSeries): Chart {
  const { steps, objective } = series;
  const shares = steps.map((step) => {
    const decisions = decisionsOf(step);
    return decisions === 0 ? undefined : step.tempfail / decisions;
  });
  const highest = highestOf(shares.filter((share) => share !== undefined));
  return {
    ...timesOf(series),
    title: t("chart.tempfails"),
    description: t("chart.tempfails_about", { share: percentText(highest) }),
    series: [{ name: t("chart.part"), colour: "tempfail", shape: "bars", values: shares }],
    ticks: linearTicks(Math.max(highest, objective.tempfail_share * 2), 4, 1e-6),
    objective: {
      value: objective.tempfail_share,
      text: t("chart.objective_share", { share: percentText(objective.tempfail_share) }),
    },
    tickText: percentText,
    valueText: percentText,
    joined: highestOf,
  };
}

/** Times of decisions. Their axis is logarithmic: a cached success and a slow directory are three powers of ten apart. */
export function timesChart(series: SignInSeries): Chart {
  const { steps, objective } = series;
  const [p50, p99] = [steps.map(({ p50_ms: ms }) => ms), steps.map(({ p99_ms: ms }) => ms)];
  const all = [...p50, ...p99].filter((ms) => ms !== undefined);
  const lowest = Math.max(0.1, Math.min(1, ...all));
  return {
    ...timesOf(series),
    title: t("chart.times"),
    description: t("chart.times_about", { time: millisecondsText(highestOf(all)) }),
    series: [
      { name: t("chart.p50"), colour: "cached", shape: "line", values: p50 },
      { name: t("chart.p99"), colour: "denied", shape: "line", values: p99 },
    ],
    ticks: logTicks(lowest, Math.max(1000, ...all)),
    isLogarithmic: true,
    objective: {
      value: objective.p99_ms,
      text: t("chart.objective_p99", { time: millisecondsText(objective.p99_ms) }),
    },
    tickText: millisecondsText,
    valueText: millisecondsText,
    joined: highestOf,
  };
}

/** Bans that began, and those in force. */
export function bansChart(series: SignInSeries): Chart {
  const { steps } = series;
  const [fresh, inForce] = [steps.map(({ new_bans: bans }) => bans), steps.map(({ bans }) => bans)];
  const known = inForce.filter((bans) => bans !== undefined);
  return {
    ...timesOf(series),
    title: t("col.bans"),
    description: t("chart.bans_about", { began: sumOf(fresh), highest: highestOf(known) }),
    series: [
      { name: t("chart.new"), colour: "blocked", shape: "bars", values: fresh, joined: sumOf },
      { name: t("chart.in_force"), colour: "before", shape: "line", values: inForce },
    ],
    ticks: linearTicks(highestOf([...fresh, ...known])),
    tickText: axisText,
    valueText: countText,
    joined: highestOf,
  };
}

/** Successes that someone else may have made. */
export function suspiciousChart(series: SignInSeries): Chart {
  const found = series.steps.map(({ suspicious }) => suspicious);
  return {
    ...timesOf(series),
    ...counted,
    title: t("risk.title"),
    description: t("chart.in_all", { all: sumOf(found) }),
    series: [{ name: t("chart.correct"), colour: "denied", shape: "bars", values: found }],
    ticks: linearTicks(highestOf(found)),
  };
}
