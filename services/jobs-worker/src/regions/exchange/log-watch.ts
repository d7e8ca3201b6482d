import { setTimeout as delay } from "node:timers/promises";
import { endsWithin } from "@postern/shared/platform/concurrency";
import { type RedisClient, regionLogKey } from "@postern/shared/platform/redis";
import type { LogReader } from "./log-reader.ts";

/** Shorter than the time after which a connection counts as hung. */
const blockMs = 5000;
/** Also gathers what is written within this time. */
const pauseMs = 20;
const pauseAfterErrorMs = 500;

export type LogWatch = ReturnType<typeof startLogWatch>;

/**
 * Wakes requests that wait for something new in the log of this region.
 *
 * @param redis a client with blocking commands, for this purpose only
 */
export function startLogWatch(redis: RedisClient, keyPrefix: string, reader: LogReader) {
  const key = regionLogKey.build(keyPrefix);
  const stopping = new AbortController();
  const { signal } = stopping;
  let newest: string | undefined;
  let changed = Promise.withResolvers<void>();
  const look = async (): Promise<void> => {
    await redis.xread("COUNT", 1, "BLOCK", blockMs, "STREAMS", key, newest ?? "0-0");
    const read = await reader.newest();
    if (read !== newest) {
      newest = read;
      changed.resolve();
      changed = Promise.withResolvers();
    }
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const isDone = await look().then(
        () => true,
        () => false,
      );
      await delay(isDone ? pauseMs : pauseAfterErrorMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    /** Resolves when the log may have more than this, or after that time. */
    beyond: async (position: string, timeMs: number): Promise<void> => {
      const { promise } = changed;
      if (newest === position) await endsWithin(promise, timeMs, { ref: false });
      else await delay(pauseMs);
    },
    isStopped: (): boolean => signal.aborted,
    /** Ends all waits, and disconnects the client. */
    stop: async (): Promise<void> => {
      stopping.abort();
      changed.resolve();
      redis.disconnect();
      await endsWithin(running, pauseAfterErrorMs);
    },
  };
}
