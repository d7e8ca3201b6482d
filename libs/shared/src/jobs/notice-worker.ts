import { type Job, UnrecoverableError } from "bullmq";
import type { KeyRing } from "../crypto/key-ring.ts";
import type { RedisClient } from "../redis/client.ts";
import { noticeQueue } from "../redis/keys/jobs.ts";
import { type NoticeJob, openNotice } from "./notice-job.ts";
import { startQueueWorker } from "./queue-worker.ts";

/** `refused`: trying again would change nothing. Rejects where it may. */
export type DeliverNotice = (notice: NoticeJob, signal: AbortSignal) => Promise<"delivered" | "refused">;

/** Told what became of notices. */
export interface NoticeEvents {
  ended(notice: { readonly id: string; readonly channel: string }, result: "delivered" | "failed"): void;
  /** It will be tried again. */
  retried(notice: { readonly id: string; readonly channel: string }, error: unknown): void;
  /** Its worker is gone, and it was queued again. */
  stalled(id: string): void;
  error(error: unknown): void;
}

export interface NoticeWorkerDeps {
  /** Of the role `queue`, and used for nothing else. */
  readonly redis: RedisClient;
  readonly prefix: string;
  readonly keys: KeyRing;
  readonly concurrency: number;
  readonly deliver: DeliverNotice;
  readonly events: NoticeEvents;
}

export interface NoticeWorker {
  /** Takes no further notice; those under way are broken off and tried again by another worker. */
  close(): Promise<void>;
}

/** Longer than a delivery may take. */
const lockMs = 30_000;
const stalledCheckMs = 5000;

function facts({ id = "", name }: Job): { readonly id: string; readonly channel: string } {
  return { id, channel: name };
}

export function createNoticeWorker(deps: NoticeWorkerDeps): NoticeWorker {
  const { redis, prefix, keys, concurrency, deliver, events } = deps;
  const closing = new AbortController();
  const run = async (job: Job): Promise<void> => {
    const notice = openNotice(keys, job.id ?? "", job.data);
    if (notice === undefined) throw new UnrecoverableError("the notice cannot be read");
    if ((await deliver(notice, closing.signal)) === "refused") throw new UnrecoverableError("the notice was refused");
  };
  const worker = startQueueWorker({
    redis,
    prefix,
    queue: noticeQueue,
    concurrency,
    lockMs,
    stalledCheckMs,
    run,
    events: {
      ended: (job, result) => events.ended(facts(job), result === "done" ? "delivered" : "failed"),
      retried: (job, error) => events.retried(facts(job), error),
      stalled: (id) => events.stalled(id),
      error: (error) => events.error(error),
    },
  });
  return {
    close: async () => {
      closing.abort();
      await worker.close();
    },
  };
}
