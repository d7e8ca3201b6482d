import type { SignInSeries } from "@postern/shared/contracts";
import type { Chart } from "./chart.ts";
import { axisText, countText, linearTicks, logTicks, millisecondsText, percentText } from "./scales.ts";

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

const counted = {
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
    title: "Sign-ins by outcome",
    description: `${countText(sumOf(all))} in all, ${countText(refused)} of them refused, at most ${countText(highestOf(all))} in a step.`,
    series: [
      { name: "Successes", colour: "ok", shape: "bars", values: of(({ ok }) => ok) },
      { name: "Successes from a cache", colour: "cached", shape: "bars", values: of(({ cached }) => cached) },
      { name: "Wrong password", colour: "wrong", shape: "bars", values: of((step) => step.wrong_password) },
      { name: "Unknown user", colour: "unknown", shape: "bars", values: of((step) => step.unknown_user) },
      { name: "Denied by a rule", colour: "denied", shape: "bars", values: of(({ denied }) => denied) },
      { name: "Banned network", colour: "blocked", shape: "bars", values: of(({ blocked }) => blocked) },
      { name: "Temporary failure", colour: "tempfail", shape: "bars", values: of(({ tempfail }) => tempfail) },
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
    title: `Refused, and a week before (${week.length * seconds > 172_800 ? "7 days" : "24 hours"})`,
    description:
      known.length === 0
        ? `${countText(sumOf(now))} now; nothing was counted a week before.`
        : `${countText(sumOf(now))} now, ${countText(sumOf(known))} a week before.`,
    series: [
      { name: "Refused", colour: "wrong", shape: "bars", values: now },
      ...(known.length > 0
        ? [{ name: "A week before", colour: "before", shape: "dashes", values: before } as const]
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
    title: "Temporary failures",
    description: `At most ${percentText(highest)} of the decisions of a step.`,
    series: [{ name: "Part of the decisions", colour: "tempfail", shape: "bars", values: shares }],
    ticks: linearTicks(Math.max(highest, objective.tempfail_share * 2), 4, 1e-6),
    objective: {
      value: objective.tempfail_share,
      text: `Objective: at most ${percentText(objective.tempfail_share)}`,
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
    title: "Time of a decision",
    description: `The slowest step: 99 of 100 decisions within ${millisecondsText(highestOf(all))}.`,
    series: [
      { name: "Half (p50)", colour: "cached", shape: "line", values: p50 },
      { name: "99 of 100 (p99)", colour: "denied", shape: "line", values: p99 },
    ],
    ticks: logTicks(lowest, Math.max(1000, ...all)),
    isLogarithmic: true,
    objective: { value: objective.p99_ms, text: `Objective: p99 within ${millisecondsText(objective.p99_ms)}` },
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
    title: "Bans",
    description: `${countText(sumOf(fresh))} began; at most ${countText(highestOf(known))} were in force.`,
    series: [
      { name: "New", colour: "blocked", shape: "bars", values: fresh, joined: sumOf },
      { name: "In force", colour: "before", shape: "line", values: inForce },
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
    title: "Suspicious sign-ins",
    description: `${countText(sumOf(found))} in all.`,
    series: [{ name: "With the correct password", colour: "denied", shape: "bars", values: found }],
    ticks: linearTicks(highestOf(found)),
  };
}
