export { type AnswerHolds, createAnswerHolds, type Held, waitHeld } from "./answer-holds.ts";
export {
  abortAfter,
  type CallerDeadline,
  endsWithin,
  remainingMs,
  throwIfOver,
  unlessAborted,
  untilOver,
  type Wait,
  watchDeadline,
  within,
} from "./deadline.ts";
