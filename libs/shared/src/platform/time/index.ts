export { type Clock, type PossibleTimes, possibleTimes, steadyClock, systemClock } from "./clock.ts";
export { formatDuration, parseDuration } from "./duration.ts";
