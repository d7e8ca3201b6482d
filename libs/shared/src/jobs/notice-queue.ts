import type { KeyRing } from "../crypto/key-ring.ts";
import { AppError } from "../errors/index.ts";
import type { RedisClient } from "../redis/client.ts";
import { noticeJobKey, noticeQueue } from "../redis/keys/jobs.ts";
import { createLazyQueue, within } from "./lazy-queue.ts";
import { type NoticeJob, noticeJobId, sealNotice } from "./notice-job.ts";

export interface NoticeQueueDeps {
  /** Of the role `queue`. */
  readonly redis: RedisClient;
  readonly prefix: string;
  readonly keys: KeyRing;
  readonly maxQueued: number;
  readonly timeoutMs: number;
  readonly onError: (error: unknown) => void;
}

export interface NoticeQueue {
  /**
   * Resolves once Redis has them; each is then tried until it is taken, for more than two hours.
   *
   * @throws AppError REDIS_UNAVAILABLE within `timeoutMs`. OVERLOADED: too many wait.
   */
  add(notices: readonly NoticeJob[]): Promise<void>;
}

/** After 0.5, 1, 2, 4 … s: more than two hours in all. */
const attempts = 15;
const firstBackoffMs = 500;

export function createNoticeQueue(deps: NoticeQueueDeps): NoticeQueue {
  const { redis, prefix, keys, maxQueued, timeoutMs } = deps;
  const queueOf = createLazyQueue(noticeQueue, deps);
  const put = async (notices: readonly NoticeJob[]): Promise<void> => {
    const queue = await queueOf();
    const [waiting, delayed] = await Promise.all([
      redis.llen(noticeJobKey.build(prefix, "wait")),
      redis.zcard(noticeJobKey.build(prefix, "delayed")),
    ]);
    if (waiting + delayed >= maxQueued) throw new AppError("OVERLOADED", { detail: `${maxQueued} notices wait` });
    await queue.addBulk(
      notices.map((notice) => ({
        name: notice.channel,
        data: sealNotice(keys, notice),
        opts: {
          jobId: noticeJobId(notice),
          attempts,
          backoff: { type: "exponential", delay: firstBackoffMs },
          // Nothing of a user stays behind.
          removeOnComplete: true,
          removeOnFail: true,
          stackTraceLimit: 0,
        },
      })),
    );
  };
  return {
    add: async (notices) => {
      try {
        await within(timeoutMs, put(notices));
      } catch (cause) {
        if (cause instanceof AppError) throw cause;
        throw new AppError("REDIS_UNAVAILABLE", { detail: "a notice could not be kept", cause });
      }
    },
  };
}
