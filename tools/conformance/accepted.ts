import type { Accepted } from "./results.ts";

/** At most three; every other warning fails the run. */
export const accepted: readonly Accepted[] = [];
