import { Worker } from "node:worker_threads";
import type { FromRehearsal } from "./rehearsal-worker.ts";
import type { RehearsalProgress, RehearsalResult, RehearsalTask } from "./rehearse-history.ts";

/** The worker is TypeScript in the source and JavaScript in the build, like this file. */
function workerUrl(): URL {
  const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./rehearsal-worker.${ending}`, import.meta.url);
}

const memoryMiB = 256;
/** A page takes less, so a thread that has not ended after this time never will. */
const stopMs = 10_000;

/** `error` is for the log. */
interface ThreadResult {
  readonly result: RehearsalResult;
  readonly error?: unknown;
}

const failed = (problem: string, error: unknown): ThreadResult => ({
  result: { state: "failed", problems: [problem] },
  error,
});

/** A rehearsal in a thread of its own. */
export function startRehearsalThread(workerData: RehearsalTask) {
  let progress: RehearsalProgress = { done: 0, signIns: 0 };
  let stopTimer: NodeJS.Timeout | undefined;
  const worker = new Worker(workerUrl(), {
    workerData,
    name: "rehearsal",
    env: {},
    stdin: false,
    resourceLimits: { maxOldGenerationSizeMb: memoryMiB },
  });
  const result = new Promise<ThreadResult>((resolve) => {
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
    /** Never rejects. */
    result,
    /** Ends it with the result so far. */
    stop: (): void => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage("stop");
      stopTimer ??= setTimeout(end, stopMs);
    },
    /** Ends it immediately. */
    end,
  };
}

export type RehearsalThread = ReturnType<typeof startRehearsalThread>;
