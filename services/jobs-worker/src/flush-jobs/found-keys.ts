import type { FoundKeys } from "@postern/shared/domain/flush";
import { compileCheck } from "@postern/shared/platform/http";
import { foundKeysKey, type RedisClient } from "@postern/shared/platform/redis";
import { Type } from "typebox";

const texts = Type.Array(Type.String());
const form = compileCheck(Type.Object({ cache: texts, state: texts }));

export type FoundKeysStore = ReturnType<typeof createFoundKeys>;

/** The keys that a job found before it removed anything, stored beside the queue for the worker that resumes it. */
export function createFoundKeys(redis: RedisClient, keyPrefix: string) {
  const keyOf = (jobId: string): string => foundKeysKey.build(keyPrefix, jobId);
  return {
    /** Undefined if the job has not removed anything yet. */
    foundBy: async (jobId: string): Promise<FoundKeys | undefined> => {
      const text = await redis.get(keyOf(jobId));
      const value: unknown = text === null ? undefined : JSON.parse(text);
      return form.accepts(value) ? value : undefined;
    },
    keep: async (jobId: string, keys: FoundKeys): Promise<void> => {
      await redis.set(keyOf(jobId), JSON.stringify(keys), "EX", foundKeysKey.ttlSeconds);
    },
    forget: async (jobId: string): Promise<void> => void (await redis.del(keyOf(jobId))),
  };
}
