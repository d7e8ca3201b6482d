import { AppError } from "../errors/index.ts";
import type { Flushed, Flushes, FoundKeys } from "../flush/index.ts";
import type { FlushJob } from "./flush-job.ts";
import type { FoundKeysStore } from "./found-keys.ts";

export interface FlushJobDeps {
  readonly flushes: Flushes;
  readonly foundKeys: FoundKeysStore;
}

export interface FlushJobRun {
  readonly jobId: string;
  /** Whether a flush that could not ask the directories, or the site's script, is good enough. */
  readonly mayBeIncomplete: boolean;
}

function find(flushes: Flushes, job: FlushJob): Promise<FoundKeys> {
  return job.type === "CACHE_FLUSH" ? flushes.findOfCache(job.request) : flushes.findOfBruteForce(job.request);
}

function flush(flushes: Flushes, job: FlushJob): Promise<Flushed> {
  return job.type === "CACHE_FLUSH" ? flushes.cache(job.request) : flushes.bruteForce(job.request);
}

/**
 * Runs a job, or continues what another worker began, and resolves with how many keys it removed. A run that was not
 * disturbed counts what it removed itself. One that continues counts also what its predecessor found and what is gone
 * now: exact, but for keys that somebody else removed in between.
 *
 * @throws AppError: try again.
 */
export async function runFlushJob(
  job: FlushJob,
  { jobId, mayBeIncomplete }: FlushJobRun,
  { flushes, foundKeys }: FlushJobDeps,
): Promise<number> {
  const before = await foundKeys.read(jobId);
  if (before === undefined) await foundKeys.write(jobId, await find(flushes, job));
  const { removedKeys, isComplete, isScriptDone } = await flush(flushes, job);
  if (!isComplete && !mayBeIncomplete) {
    throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "no directory could be asked for the account" });
  }
  if (!isScriptDone && !mayBeIncomplete) {
    throw new AppError("SCRIPT_FAILED", { detail: "the site's script of flushes gave no answer" });
  }
  const removed = new Set(removedKeys);
  if (before !== undefined) {
    const left = await flushes.present(before);
    const isLeft = new Set([...left.cache, ...left.state]);
    for (const key of [...before.cache, ...before.state]) if (!isLeft.has(key)) removed.add(key);
  }
  return removed.size;
}
