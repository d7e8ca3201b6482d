import type { Logger } from "@postern/shared/platform/logging";
import type { BruteForceSettings } from "./settings.ts";

type Mode = BruteForceSettings["withoutRedis"]["mode"];

const unavailable: Readonly<Record<Mode, string>> = {
  degrade: "Redis is unavailable: this engine counts failures in memory",
  tempfail: "Redis is unavailable: sign-ins are temporary failures until it is available again",
};

/** Log lines about Redis that brute-force protection writes when Redis becomes unavailable and available. */
export function createRedisLog(logger: Pick<Logger, "error" | "info">, mode: Mode) {
  return {
    unavailable: (err: unknown): void => logger.error({ err, mode }, unavailable[mode]),
    available: (): void => logger.info("Redis is available again: failures are counted in Redis"),
  };
}
