import type { Logger } from "@postern/shared/platform/logging";
import type { Clock } from "@postern/shared/platform/time";

const everyMs = 10_000;

/**
 * Writes at most one line in ten seconds about each subject, with the number of lines left out since. Lines name no account: a session
 * leads to it.
 */
export function createShadowLog(logger: Pick<Logger, "info" | "warn">, clock: Clock) {
  const limited = (level: "info" | "warn", message: string) => {
    let nextMs = Number.NEGATIVE_INFINITY;
    let omitted = 0;
    return (fields: object): void => {
      const nowMs = clock.now();
      if (nowMs < nextMs) {
        omitted += 1;
        return;
      }
      nextMs = nowMs + everyMs;
      logger[level]({ ...fields, omitted }, message);
      omitted = 0;
    };
  };
  return {
    differs: limited("info", "the answer of the shadow differs from that of the backends that decide"),
    undecided: limited("warn", "the shadow could not answer"),
  };
}
