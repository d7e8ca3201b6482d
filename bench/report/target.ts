import type { Figure } from "../measure/added.ts";

/** A target and this run's result; no result if it was not measured. */
export interface Target {
  readonly title: string;
  readonly target: string;
  readonly measured: string;
  /** Of the rounds; absent if it was measured once. */
  readonly range?: string;
  readonly met: boolean | undefined;
}

interface Bound {
  readonly title: string;
  /** The median of a figure of several rounds decides. */
  readonly value: number | Figure | undefined;
  readonly atMost?: number;
  readonly atLeast?: number;
  readonly unit: string;
  readonly digits?: number;
}

/** Compares a result with its bound. */
export function judged({ title, value: figure, atMost, atLeast, unit, digits = 2 }: Bound): Target {
  const target = atMost === undefined ? `≥ ${atLeast?.toFixed(digits)}${unit}` : `≤ ${atMost.toFixed(digits)}${unit}`;
  const value = typeof figure === "object" ? figure.median : figure;
  if (value === undefined || Number.isNaN(value)) return { title, target, measured: "not measured", met: undefined };
  const met = atMost === undefined ? value >= (atLeast ?? 0) : value <= atMost;
  const measured = `${value.toFixed(digits)}${unit}`;
  if (typeof figure !== "object") return { title, target, measured, met };
  return {
    title,
    target,
    measured,
    range: `${figure.lowest.toFixed(digits)} to ${figure.highest.toFixed(digits)}`,
    met,
  };
}
