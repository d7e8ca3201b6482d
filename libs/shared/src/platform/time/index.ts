export { type Clock, steadyClock, systemClock } from "./clock.ts";
export { formatDuration, parseDuration } from "./duration.ts";
