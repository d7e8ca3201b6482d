export type { DecisionChannel, DecisionNote, DecisionOutcome, RecordedDecision } from "./decision-record.ts";
export { createDecisionHistory, type DecisionHistory } from "./read-history.ts";
export { createDecisionRecorder, type DecisionBatch, type DecisionRecorder } from "./recorder.ts";
export { createHistoryWriter, type HistoryLimits, type WriteHistory } from "./write-history.ts";
