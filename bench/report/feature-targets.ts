import type { FeatureKind } from "../scenarios/features.ts";
import type { Results } from "./results.ts";
import { judged, type Target } from "./target.ts";

/** What each feature that is on by default may add. A first sign-in has a target as a whole. */
const budgets: Readonly<Partial<Record<FeatureKind, { readonly micros: number; readonly commands: number }>>> = {
  "cached success": { micros: 5, commands: 0.05 },
  "wrong password": { micros: 60, commands: 1.25 },
};

export function featureTargets({ features = [] }: Results): readonly Target[] {
  return features.flatMap(({ feature, kind, cpuMicros, redisCommands }) => {
    const budget = budgets[kind];
    if (budget === undefined) return [];
    const title = `${feature}, ${kind}`;
    return [
      judged({
        title: `${title}: CPU`,
        value: cpuMicros,
        atMost: budget.micros,
        unit: " µs",
        digits: 1,
        isPaired: true,
      }),
      judged({ title: `${title}: Redis commands`, value: redisCommands, atMost: budget.commands, unit: "" }),
    ];
  });
}

/** Memory that the facts for the score need; only a long run measures it. */
export function factsTarget({ factsGb: value }: Results): Target {
  return judged({ title: "facts about a million accounts: Redis", value, atMost: 1.5, unit: " GB" });
}
