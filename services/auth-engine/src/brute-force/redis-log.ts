import type { Logger } from "@postern/shared/platform/logging";
import type { Clock } from "@postern/shared/platform/time";
import type { BruteForceSettings } from "./brute-force-settings.ts";

type Mode = BruteForceSettings["withoutRedis"]["mode"];

const unavailable: Readonly<Record<Mode, string>> = {
  degrade: "Redis is unavailable: this engine counts failures in memory",
  tempfail: "Redis is unavailable: sign-ins are temporary failures until it is available again",
};

const quietMs = 60_000;

/** Log lines about Redis that brute-force protection writes: when it becomes unavailable or available, and about invalid keys. */
export function createRedisLog(logger: Pick<Logger, "error" | "info">, mode: Mode, clock: Clock) {
  let quietUntilMs = 0;
  return {
    /** Logs at most once a minute, because each sign-in that reads the key meets it. */
    wrongType: (err: unknown): void => {
      if (clock.now() < quietUntilMs) return;
      quietUntilMs = clock.now() + quietMs;
      logger.error({ err }, "a key in Redis has an unexpected type and cannot be read");
    },
    unavailable: (err: unknown): void => logger.error({ err, mode }, unavailable[mode]),
    available: (): void => logger.info("Redis is available again: failures are counted in Redis"),
  };
}
