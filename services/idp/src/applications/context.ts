import type { Base } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/platform/config";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { createClientUses } from "./client-uses.ts";
import { createClientUseStore } from "./client-uses-redis.ts";
import { createListApplications } from "./list-applications.ts";

const everyMs = 10_000;
const nowMs = (): number => systemClock.now();

/** The list of applications, and the note of when each was last used. */
export function createApplicationList(config: Config, { logger }: Base, state: RedisClient) {
  const store = createClientUseStore(state, config.storage.redis.prefix);
  const onError = (err: unknown): void => logger.debug({ err }, "the last use of clients could not be written");
  return {
    uses: createClientUses(store, nowMs, everyMs, onError),
    listOf: (
      clients: Parameters<typeof createListApplications>[0],
      providers: Parameters<typeof createListApplications>[1],
    ) => createListApplications(clients, providers, store, nowMs),
  };
}
