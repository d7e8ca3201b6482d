import type { Results } from "./results.ts";
import { judged, type Target } from "./target.ts";

/** Operators must not have to wait, however many networks are banned. */
export function managementTargets({ management }: Results): readonly Target[] {
  return management.map(({ title, p99Ms }) =>
    judged({ title: `a million bans: ${title}: p99`, value: p99Ms, atMost: 50, unit: " ms", digits: 1 }),
  );
}

export function consoleTargets({ consolePages }: Results): readonly Target[] {
  return consolePages.map(({ title, cpuMs }) =>
    judged({ title: `a million bans: console, ${title}: CPU`, value: cpuMs, atMost: 20, unit: " ms", digits: 1 }),
  );
}
