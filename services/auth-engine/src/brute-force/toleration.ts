import type { Failures } from "./fallback/window.ts";

/** How many failures the successful sign-ins of a network excuse. */
export interface Toleration {
  readonly minPercent: number;
  readonly maxPercent: number;
  /** How fast the percentage rises from minimum to maximum; with 1 it reaches the maximum at 99 accounts. */
  readonly scale: number;
}

export const noToleration: Toleration = { minPercent: 0, maxPercent: 0, scale: 1 };

/** Part of the tolerance that a failure of an unknown account uses up: attackers try names, users know theirs. */
export const unknownWeight = 4;

/** Failures excused by this number of accounts that signed in from the network. */
export function allowance(accounts: number, { minPercent, maxPercent, scale }: Toleration): number {
  if (accounts <= 0) return 0;
  const growth = Math.min(1, (Math.log(accounts + 1) / Math.log(100)) * scale);
  return Math.floor((accounts * (minPercent + (maxPercent - minPercent) * growth)) / 100);
}

/** Failures without the excused ones, to be compared with `failed_requests`. */
export function guessScore({ known, unknown }: Failures, allowed: number): number {
  const excusedUnknown = Math.min(unknown, Math.floor(allowed / unknownWeight));
  const excusedKnown = Math.min(known, allowed - unknownWeight * excusedUnknown);
  return known + unknown - excusedKnown - excusedUnknown;
}
