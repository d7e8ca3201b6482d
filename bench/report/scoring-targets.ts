import { type Results, rowOf } from "./results.ts";
import { judged, type Target } from "./target.ts";

/** The cost of the score of a sign-in, and of what it needs to know. Engines batch commands, so their number varies a little. */
export function scoringTargets(results: Results): readonly Target[] {
  const added = rowOf(results, "scored")?.added;
  return [
    judged({
      title: "scored sign-in: the engine's CPU that the score adds",
      value: added?.to === "unscored" ? added.engineMicros : undefined,
      atMost: 8,
      unit: " µs",
      digits: 1,
    }),
    judged({
      title: "scored sign-in: Redis commands that the score adds",
      value: results.commandsOfScoring,
      atMost: 0.05,
      unit: "",
    }),
    judged({
      title: "facts about a million accounts: Redis",
      value: results.factsGb,
      atMost: 1.5,
      unit: " GB",
    }),
  ];
}
