import type { RehearsalReport } from "@postern/shared/contracts";
import { axisText, countText, t } from "../../texts/texts.ts";
import type { Chart } from "../charts/chart.ts";
import { linearTicks } from "../charts/scales.ts";
import { sumOf } from "../charts/sign-in-charts.ts";

const hourMs = 3_600_000;
const mostSteps = 240;

/** Differences over time: hours, or longer steps if there are many. Undefined without a difference. */
export function timelineChart({ timeline }: RehearsalReport): Chart | undefined {
  const changed = timeline.filter(({ different }) => different > 0);
  if (changed.length === 0) return undefined;
  const hours = timeline.map(({ hour }) => Math.floor(Date.parse(hour) / hourMs));
  const first = hours.reduce((lowest, hour) => Math.min(lowest, hour), Number.POSITIVE_INFINITY);
  const length = hours.reduce((highest, hour) => Math.max(highest, hour), first) - first + 1;
  const perStep = Math.ceil(length / mostSteps);
  const steps = Math.ceil(length / perStep);
  const refused = Array.from({ length: steps }, () => 0);
  const others = Array.from({ length: steps }, () => 0);
  for (const { hour, different, now_refused: now } of changed) {
    const step = Math.floor((Math.floor(Date.parse(hour) / hourMs) - first) / perStep);
    refused[step] = (refused[step] ?? 0) + now;
    others[step] = (others[step] ?? 0) + Math.max(0, different - now);
  }
  const highest = refused.reduce((maximum, now, step) => Math.max(maximum, now + (others[step] ?? 0)), 0);
  return {
    title: t("rehearsal.chart"),
    description: t("rehearsal.chart_about", { refused: sumOf(refused), all: sumOf(refused) + sumOf(others) }),
    times: refused.map((_, step) => (first + step * perStep) * hourMs),
    stepMs: perStep * hourMs,
    series: [
      { name: t("rehearsal.now_refused"), colour: "wrong", shape: "bars", values: refused },
      { name: t("rehearsal.others"), colour: "unknown", shape: "bars", values: others },
    ],
    ticks: linearTicks(highest),
    tickText: axisText,
    valueText: countText,
    joined: sumOf,
    total: (values) => countText(sumOf(values)),
  };
}
