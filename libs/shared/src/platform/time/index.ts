export { type Clock, steadyClock, systemClock } from "./clock.ts";
export { formatDuration, parseDuration } from "./duration.ts";
export { type PossibleTimes, possibleTimes } from "./possible-times.ts";
