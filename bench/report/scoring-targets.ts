import { type Results, rowOf } from "./results.ts";
import { judged, type Target } from "./target.ts";

/** The cost of the score of a sign-in. Engines batch commands, so their number varies a little. */
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
  ];
}

/** Memory that the score needs; only a long run measures it. */
export function factsTarget({ factsGb: value }: Results): Target {
  return judged({ title: "facts about a million accounts: Redis", value, atMost: 1.5, unit: " GB" });
}
