export { type Clock, systemClock } from "./clock.ts";
export { formatDuration, parseDuration } from "./duration.ts";
