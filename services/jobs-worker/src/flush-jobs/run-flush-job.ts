import type { Flushed, Flushes, FoundKeys } from "@postern/shared/domain/flush";
import type { FlushJob } from "@postern/shared/domain/jobs";
import { AppError } from "@postern/shared/platform/errors";
import { compileCheck } from "@postern/shared/platform/http";
import { foundKeysKey, type RedisClient } from "@postern/shared/platform/redis";
import { Type } from "typebox";

const texts = Type.Array(Type.String());
const form = compileCheck(Type.Object({ cache: texts, state: texts }));

type FoundKeysStore = ReturnType<typeof createFoundKeys>;

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

export interface FlushJobDeps {
  readonly flushes: Flushes;
  readonly foundKeys: FoundKeysStore;
}

function find(flushes: Flushes, job: FlushJob): Promise<FoundKeys> {
  return job.type === "CACHE_FLUSH" ? flushes.findOfCache(job.request) : flushes.findOfBruteForce(job.request);
}

function flush(flushes: Flushes, job: FlushJob): Promise<Flushed> {
  return job.type === "CACHE_FLUSH" ? flushes.cache(job.request) : flushes.bruteForce(job.request);
}

/**
 * Runs a job, or resumes one that another worker began, and resolves with the number of removed keys. An uninterrupted run counts what it
 * removed. A resumed run also counts keys that its predecessor found and that no longer exist, which is exact except for keys removed by
 * others in between.
 *
 * @throws AppError to be retried.
 */
export async function runFlushJob(
  job: FlushJob,
  /** A flush that `mayBeIncomplete` counts as done although the backends or the site's script could not be queried. */
  { jobId, mayBeIncomplete }: { readonly jobId: string; readonly mayBeIncomplete: boolean },
  { flushes, foundKeys }: FlushJobDeps,
): Promise<number> {
  const before = await foundKeys.foundBy(jobId);
  if (before === undefined) await foundKeys.keep(jobId, await find(flushes, job));
  const { removedKeys, isComplete, isScriptDone } = await flush(flushes, job);
  if (!isComplete && !mayBeIncomplete) {
    throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "no backend could be queried for the account" });
  }
  if (!isScriptDone && !mayBeIncomplete) {
    throw new AppError("SCRIPT_FAILED", { detail: "the site's flush script did not answer" });
  }
  const removed = new Set(removedKeys);
  if (before !== undefined) {
    const left = await flushes.present(before);
    const isLeft = new Set([...left.cache, ...left.state]);
    for (const key of [...before.cache, ...before.state]) if (!isLeft.has(key)) removed.add(key);
  }
  return removed.size;
}
