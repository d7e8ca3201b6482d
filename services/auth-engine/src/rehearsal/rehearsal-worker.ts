import { once } from "node:events";
import { constants, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { historyFromConfig, redisFromConfig } from "@postern/shared/assembly";
import { addTrustedRoots } from "@postern/shared/platform/net";
import {
  type RehearsalProgress,
  type RehearsalResult,
  type RehearsalTask,
  rehearseHistory,
} from "./rehearse-history.ts";

/** What the thread says. The last message is a result. */
export type FromRehearsal =
  | ({ readonly type: "progress" } & RehearsalProgress)
  | { readonly type: "result"; readonly result: RehearsalResult; readonly error?: unknown };

const connectMs = 10_000;

/** It has a connection of its own: what it reads is large, and others must not wait behind it. */
async function rehearse({ config, text, sinceMs }: RehearsalTask, say: (message: FromRehearsal) => void) {
  addTrustedRoots(config.runtime.outgoing_tls.ca_file);
  const quiet = { info: () => undefined, warn: () => undefined };
  const redis = redisFromConfig(config, "state", { service: "auth-engine-rehearsal", logger: quiet });
  const history = historyFromConfig(config, redis);
  let isStopped = false;
  parentPort?.on("message", () => (isStopped = true));
  try {
    if (history === undefined) throw new Error("no decision history is recorded");
    const { page } = history;
    await once(redis, "ready", { signal: AbortSignal.timeout(connectMs) });
    const onProgress = (progress: RehearsalProgress): void => say({ type: "progress", ...progress });
    const result = await rehearseHistory({ config, text, sinceMs, page, onProgress, isStopped: () => isStopped });
    say({ type: "result", result });
  } catch (error) {
    const problems = ["the decision history cannot be read; the log of the engine says why"];
    say({ type: "result", result: { state: "failed", problems }, error });
  } finally {
    redis.disconnect();
    parentPort?.removeAllListeners("message");
  }
}

// Linux keeps a priority for each thread, so the one that decides is not affected.
setPriority(0, constants.priority.PRIORITY_LOW);
const task: RehearsalTask = workerData;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
await rehearse(task, (message) => parentPort?.postMessage(message));
