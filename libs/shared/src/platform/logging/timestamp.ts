import { systemClock } from "../time/clock.ts";

/** The time of a line in pino's format, cached because under load many lines share a millisecond. */
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
