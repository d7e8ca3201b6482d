import { Type } from "typebox";
import { compileCheck } from "../bus/schema-check.ts";
import type { FoundKeys } from "../flush/index.ts";
import type { RedisClient } from "../redis/client.ts";
import { foundKeysKey } from "../redis/keys/jobs.ts";

/** What a job found before it removed anything, kept beside the queue for who continues it. */
export interface FoundKeysStore {
  /** Undefined when the job removed nothing yet. */
  read(jobId: string): Promise<FoundKeys | undefined>;
  write(jobId: string, keys: FoundKeys): Promise<void>;
  forget(jobId: string): Promise<void>;
}

const texts = Type.Array(Type.String());
const form = compileCheck(Type.Object({ cache: texts, state: texts }));

export function createFoundKeys(redis: RedisClient, prefix: string): FoundKeysStore {
  const keyOf = (jobId: string): string => foundKeysKey.build(prefix, jobId);
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
