import { systemClock } from "../time/clock.ts";

/** The time of a line as pino wants it; under load many lines have the same millisecond. */
export function createTimestamp(): () => string {
  let lastMs = Number.NaN;
  let text = "";
  return () => {
    const nowMs = systemClock.now();
    if (nowMs !== lastMs) {
      lastMs = nowMs;
      text = `,"time":"${new Date(nowMs).toISOString()}"`;
    }
    return text;
  };
}
