import { Worker } from "node:worker_threads";
import type { FromRehearsal, RehearsalTask } from "./rehearsal-worker.ts";
import type { RehearsalProgress, RehearsalResult } from "./rehearse-history.ts";

/** The worker is TypeScript in the source and JavaScript in the build, like this file. */
function workerUrl(): URL {
  const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./rehearsal-worker.${ending}`, import.meta.url);
}

const memoryMiB = 256;
/** A page takes less, so a thread that has not ended after this time never will. */
const stopMs = 10_000;

/** A rehearsal in a thread of its own. */
export interface RehearsalThread {
  readonly progress: () => RehearsalProgress;
  /** Never rejects. `error` is for the log. */
  readonly result: Promise<{ readonly result: RehearsalResult; readonly error?: unknown }>;
  /** Ends it with the result so far. */
  readonly stop: () => void;
  /** Ends it at once. */
  readonly end: () => void;
}

const failed = (problem: string, error: unknown) => ({
  result: { state: "failed", problems: [problem] } satisfies RehearsalResult,
  error,
});

export function startRehearsalThread(workerData: RehearsalTask): RehearsalThread {
  let progress: RehearsalProgress = { done: 0, signIns: 0 };
  let stopTimer: NodeJS.Timeout | undefined;
  const worker = new Worker(workerUrl(), {
    workerData,
    name: "rehearsal",
    env: {},
    stdin: false,
    resourceLimits: { maxOldGenerationSizeMb: memoryMiB },
  });
  const result = new Promise<Awaited<RehearsalThread["result"]>>((resolve) => {
    worker.on("message", (message: FromRehearsal) => {
      if (message.type === "progress") progress = message;
      else resolve(message);
    });
    worker.once("error", (error: NodeJS.ErrnoException) => {
      const isMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY";
      resolve(failed(isMemory ? `more than ${memoryMiB} MiB of memory are needed` : "an error occurred", error));
    });
    worker.once("exit", () => resolve(failed("the engine was stopped", undefined)));
  });
  const end = (): void => void worker.terminate();
  void result.then(() => {
    clearTimeout(stopTimer);
    end();
  });
  return {
    progress: () => progress,
    result,
    stop: () => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage("stop");
      stopTimer ??= setTimeout(end, stopMs);
    },
    end,
  };
}
