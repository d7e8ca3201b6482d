import { type Html, html } from "@postern/shared/platform/pages";
import { comma, weekdayText } from "../../texts/texts.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Steps of a time axis that people count in. */
const timeSteps = [5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 720, 1440, 2880, 4320, 7200].map((of) => of * minuteMs);

/** The smallest step of the form 1, 2 or 5 × 10ⁿ with at most so many of them up to `highest`. */
function niceStep(highest: number, atMost: number, smallest: number): number {
  const rough = Math.max(highest / atMost, smallest);
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((of) => of * power >= rough * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** Ticks from 0 to the first one that is not below `highest`. @param smallest of two ticks' distances: 1 for what is counted. */
export function linearTicks(highest: number, atMost = 4, smallest = 1): readonly number[] {
  const step = niceStep(highest, atMost, smallest);
  const count = Math.max(1, Math.ceil(highest / step - 1e-9));
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** Powers of ten that enclose the values. */
export function logTicks(lowest: number, highest: number): readonly number[] {
  const first = Math.floor(Math.log10(lowest));
  const last = Math.max(first + 1, Math.ceil(Math.log10(highest)));
  return Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index));
}

/** Times (UTC) between two others that are multiples of a step. */
export function timeTicks(fromMs: number, toMs: number, atMost = 7): readonly number[] {
  const step = timeSteps.find((of) => (toMs - fromMs) / of <= atMost) ?? 7 * dayMs;
  const first = Math.ceil(fromMs / step) * step;
  const count = Math.max(0, Math.floor((toMs - first) / step) + 1);
  return Array.from({ length: count }, (_, index) => first + index * step);
}

const twoDigits = (of: number): string => String(of).padStart(2, "0");
const clock = (time: Date): string => `${twoDigits(time.getUTCHours())}:${twoDigits(time.getUTCMinutes())}`;

/** A time as the axis shows it: the time of day, or the day in a chart of several days. */
export function tickText(timeMs: number, lengthMs: number): Html {
  return lengthMs > 2 * dayMs ? weekdayText(timeMs) : html`${clock(new Date(timeMs))}`;
}

/** A time as tables and tooltips show it. */
export function stepText(timeMs: number, lengthMs: number): Html {
  const time = clock(new Date(timeMs));
  return lengthMs > 2 * hourMs ? html`${weekdayText(timeMs)}${comma}${time}` : html`${time}`;
}
