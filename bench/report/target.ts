import type { Figure } from "../measure/added.ts";

/** A target and this run's result; no result if it was not measured. */
export interface Target {
  readonly title: string;
  readonly target: string;
  readonly measured: string;
  /** The range of the rounds; absent if the row was measured once. */
  readonly range?: string;
  readonly met: boolean | undefined;
  /** Missed by at most a tenth of the limit, which is as exact as a median of five rounds. */
  readonly isNear?: boolean;
  /** Only a long run measures it. */
  readonly isLong?: boolean;
}

const nearShare = 0.1;

interface Bound {
  readonly title: string;
  /** The median of several rounds decides, unless they are paired. */
  readonly value: number | Figure | undefined;
  readonly atMost?: number;
  readonly atLeast?: number;
  readonly unit: string;
  readonly digits?: number;
  /**
   * Whether the rounds were measured in turn with what the value is compared with. Then only a figure that every round shows is a miss: one window
   * differs from the next by more than most features cost.
   */
  readonly isPaired?: boolean;
}

const decidingValue = (figure: number | Figure | undefined, isPaired: boolean): number | undefined =>
  isPaired && typeof figure === "object" ? figure.lowest : undefined;

/** Compares a result with its bound. */
export function judged({ title, value: figure, atMost, atLeast, unit, digits = 2, isPaired = false }: Bound): Target {
  const target = atMost === undefined ? `≥ ${atLeast?.toFixed(digits)}${unit}` : `≤ ${atMost.toFixed(digits)}${unit}`;
  const value = typeof figure === "object" ? figure.median : figure;
  if (value === undefined || Number.isNaN(value)) return { title, target, measured: "not measured", met: undefined };
  const decides = decidingValue(figure, isPaired) ?? value;
  const isWithin = (share: number): boolean =>
    atMost === undefined ? value >= (atLeast ?? 0) * (1 - share) : decides <= atMost * (1 + share);
  const met = isWithin(0);
  const measured = `${value.toFixed(digits)}${unit}`;
  const verdict = { title, target, measured, met, ...(!met && isWithin(nearShare) && { isNear: true }) };
  if (typeof figure !== "object") return verdict;
  return { ...verdict, range: `${figure.lowest.toFixed(digits)} to ${figure.highest.toFixed(digits)}` };
}
