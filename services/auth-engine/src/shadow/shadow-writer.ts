import type { ShadowBatch, WriteShadowBatch } from "@postern/shared/domain/shadow";
import { endsWithin } from "@postern/shared/platform/concurrency";
import type { ShadowCounter } from "./shadow-counter.ts";

const flushMs = 5000;
const closeMs = 2000;

/** Adds what an engine counts to the report in Redis, every five seconds. */
export function createShadowReporting(counter: Pick<ShadowCounter, "take" | "waiting">, write: WriteShadowBatch) {
  /** Sent again until Redis has confirmed it: without an answer, Redis may have it or not. */
  let sent: ShadowBatch | undefined;
  let busy: Promise<void> | undefined;
  /** Writes as many batches as wait when it begins: what is counted meanwhile is written by the next call. */
  const writeAll = async (): Promise<void> => {
    for (let left = counter.waiting() + (sent === undefined ? 0 : 1); left > 0; left -= 1) {
      sent ??= counter.take();
      if (sent === undefined) return;
      await write(sent);
      sent = undefined;
    }
  };
  /** What Redis does not take waits for the next call. Never rejects. */
  const flush = (): Promise<void> => {
    busy ??= writeAll()
      .catch(() => undefined)
      .finally(() => {
        busy = undefined;
      });
    return busy;
  };
  const timer = setInterval(() => void flush(), flushMs).unref();
  const finish = async (): Promise<void> => {
    await busy;
    await flush();
  };
  return {
    flush,
    close: async (): Promise<void> => {
      clearInterval(timer);
      await endsWithin(finish(), closeMs);
    },
  };
}
