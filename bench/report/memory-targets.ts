import type { Results } from "./results.ts";
import { judged, type Target } from "./target.ts";

/** MiB under load. */
const loadedLimits: Readonly<Record<string, number>> = { gateway: 200, "auth-engine": 300 };
const loadedLimit = 220;

/** MiB of a service under load. */
export function loadedLimitOf(service: string): number {
  return loadedLimits[service] ?? loadedLimit;
}

/** Compares the end with the fifth minute, because heaps and pools still grow before that. */
export function enduranceTargets({ endurance }: Results): readonly Target[] {
  return endurance.flatMap(({ service, mib }) => {
    const [early, late] = [mib[4], mib.at(-1)];
    const value = early === undefined || late === undefined ? undefined : late / early;
    return [
      judged({ title: `${service}: memory after 30 minutes / after five`, value, atMost: 1.1, unit: " ×" }),
      judged({
        title: `${service}: memory at the end of 30 minutes`,
        value: late,
        atMost: loadedLimitOf(service),
        unit: " MiB",
        digits: 0,
      }),
    ];
  });
}
