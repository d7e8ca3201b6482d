import { type Base, rehearsalsFromConfig } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/platform/config";
import type { RedisClient } from "@postern/shared/platform/redis";
import { startRehearsalThread } from "./rehearsal-thread.ts";
import { createEngineRehearsals } from "./rehearsals.ts";

/** Rehearsals that operators start in the console. */
export function createRehearsing(config: Config, { logger, configuration }: Base, redis: RedisClient) {
  return createEngineRehearsals({
    rehearsals: rehearsalsFromConfig(config, redis),
    config: () => configuration.current(),
    startThread: startRehearsalThread,
    logger,
  });
}
