import type { FoundKeys } from "@postern/shared/domain/flush";
import { compileCheck } from "@postern/shared/platform/http";
import { foundKeysKey, type RedisClient } from "@postern/shared/platform/redis";
import { Type } from "typebox";

/** The keys that a job found before it removed anything, stored beside the queue for the worker that resumes it. */
export interface FoundKeysStore {
  /** Undefined if the job has not removed anything yet. */
  read(jobId: string): Promise<FoundKeys | undefined>;
  write(jobId: string, keys: FoundKeys): Promise<void>;
  forget(jobId: string): Promise<void>;
}

const texts = Type.Array(Type.String());
const form = compileCheck(Type.Object({ cache: texts, state: texts }));

export function createFoundKeys(redis: RedisClient, keyPrefix: string): FoundKeysStore {
  const keyOf = (jobId: string): string => foundKeysKey.build(keyPrefix, jobId);
  return {
    read: async (jobId) => {
      const text = await redis.get(keyOf(jobId));
      const value: unknown = text === null ? undefined : JSON.parse(text);
      return form.accepts(value) ? value : undefined;
    },
    write: async (jobId, keys) => {
      await redis.set(keyOf(jobId), JSON.stringify(keys), "EX", foundKeysKey.ttlSeconds);
    },
    forget: async (jobId) => void (await redis.del(keyOf(jobId))),
  };
}
