import { Worker } from "node:worker_threads";
import { recordsHistory } from "@postern/shared/assembly";
import { createDecisionRecorder, type DecisionBatch } from "@postern/shared/domain/history";
import { endsWithin } from "@postern/shared/platform/concurrency";
import type { Config } from "@postern/shared/platform/config";
import { systemClock } from "@postern/shared/platform/time";

const flushMs = 1000;
/**
 * Nothing in the thread lives longer than a batch, of which the largest takes 60 MiB. Without limits, V8 lets this heap grow as it lets the
 * engine's own.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 192 };
/** The last batch may need a connection. */
const closeMs = 3000;

function startThread(config: Config, instance: string): Worker {
  const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const worker = new Worker(new URL(`./history-worker.${ending}`, import.meta.url), {
    workerData: { config, instance },
    name: "decision history",
    resourceLimits,
  });
  worker.unref();
  return worker;
}

/**
 * Undefined while no history is recorded.
 *
 * @param onLost counts decisions of which no record was written.
 */
export function createHistoryThread(
  config: Config,
  instance: string,
  onLost: (count: number) => void,
  onError: (error: unknown) => void,
) {
  if (!recordsHistory(config)) return undefined;
  const recorder = createDecisionRecorder();
  let worker: Worker | undefined;
  let busy: Promise<void> | undefined;
  /** One batch at a time: while Redis is slow, the recorder gathers up to its bound. */
  const send = (batch: DecisionBatch): Promise<void> =>
    new Promise((resolve) => {
      const thread = (worker ??= startThread(config, instance));
      const done = (lost: number): void => {
        thread.off("message", done);
        thread.off("error", failed);
        thread.off("exit", ended);
        if (lost > 0) onLost(lost);
        busy = undefined;
        resolve();
      };
      // The next batch starts another thread.
      const failed = (error: unknown): void => {
        worker = undefined;
        onError(error);
        done(batch.runs.length);
      };
      const ended = (code: number): void => failed(new Error(`the thread ended with exit code ${code}`));
      thread.on("message", done);
      thread.on("error", failed);
      thread.on("exit", ended);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      thread.postMessage(batch);
    });
  const flush = (isLast = false): Promise<void> | undefined => {
    const dropped = recorder.takeDropped();
    if (dropped > 0) onLost(dropped);
    if (busy !== undefined) return busy;
    const batch = recorder.take(systemClock.now(), isLast);
    if (batch !== undefined) busy = send(batch);
    return busy;
  };
  const timer = setInterval(() => void flush(), flushMs);
  timer.unref();
  return {
    record: recorder.note,
    /** Writes what was gathered and ends the thread. */
    close: async (): Promise<void> => {
      clearInterval(timer);
      await endsWithin(
        Promise.resolve(busy).then(() => flush(true)),
        closeMs,
      );
      await worker?.terminate();
    },
  };
}

/** Records decisions. Encryption and Redis are the work of a thread, so that no decision waits for them. */
export type HistoryThread = NonNullable<ReturnType<typeof createHistoryThread>>;
