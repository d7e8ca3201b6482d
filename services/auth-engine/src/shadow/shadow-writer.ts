import type { ShadowBatch, WriteShadowBatch } from "@postern/shared/domain/shadow";
import { endsWithin } from "@postern/shared/platform/concurrency";
import type { ShadowCounter } from "./shadow-counter.ts";

const flushMs = 5000;
const closeMs = 2000;

/** Adds what an engine counts to the report in Redis, every five seconds. */
export function createShadowReporting(counter: Pick<ShadowCounter, "take">, write: WriteShadowBatch) {
  /** Sent again until Redis has confirmed it: without an answer, Redis may have it or not. */
  let sent: ShadowBatch | undefined;
  let busy: Promise<void> | undefined;
  const writeAll = async (): Promise<void> => {
    for (sent ??= counter.take(); sent !== undefined; sent = counter.take()) await write(sent);
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
    close: async (): Promise<void> => {
      clearInterval(timer);
      await endsWithin(finish(), closeMs);
    },
  };
}
