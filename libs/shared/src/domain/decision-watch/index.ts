export { DecisionWatches } from "./decision-watches.ts";
export { seenDecision } from "./watched-decision.ts";
