export { DecisionWatches, seenDecision } from "./decision-watches.ts";
