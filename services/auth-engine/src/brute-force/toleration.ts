import type { Failures } from "./window.ts";

/** How many failures the good logins of a network excuse. */
export interface Toleration {
  readonly minPercent: number;
  readonly maxPercent: number;
  /** How fast the percentage goes from least to most; the most is reached at 99 accounts when it is 1. */
  readonly scale: number;
}

export const noToleration: Toleration = { minPercent: 0, maxPercent: 0, scale: 1 };

/** A failure of an account that nobody knows uses up so much of the tolerance: guessers try names, users know theirs. */
export const unknownWeight = 4;

/** Failures that so many accounts, which signed in from the network, excuse. */
export function allowance(accounts: number, { minPercent, maxPercent, scale }: Toleration): number {
  if (accounts <= 0) return 0;
  const growth = Math.min(1, (Math.log(accounts + 1) / Math.log(100)) * scale);
  return Math.floor((accounts * (minPercent + (maxPercent - minPercent) * growth)) / 100);
}

/** What is left of the failures when the excused ones are taken off; this is compared with `failed_requests`. */
export function guessScore({ known, unknown }: Failures, allowed: number): number {
  const excusedUnknown = Math.min(unknown, Math.floor(allowed / unknownWeight));
  const excusedKnown = Math.min(known, allowed - unknownWeight * excusedUnknown);
  return known + unknown - excusedKnown - excusedUnknown;
}
