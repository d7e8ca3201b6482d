import { parentPort, workerData } from "node:worker_threads";
import { historyWriterFromConfig, redisFromConfig } from "@postern/shared/assembly/history-writer";
import type { DecisionBatch } from "@postern/shared/domain/history";
import type { Config } from "@postern/shared/platform/config";
import { createLogger } from "@postern/shared/platform/logging";
import { addTrustedRoots } from "@postern/shared/platform/net";
import { systemClock } from "@postern/shared/platform/time";

/** Entry point of the thread of `history-thread.ts`, which encrypts and writes the decision history. */
const { config, instance }: { readonly config: Config; readonly instance: string } = workerData;
addTrustedRoots(config.runtime.outgoing_tls.ca_file);
// The engine's own client reports an outage.
const { logger } = createLogger({ service: "auth-engine", instance, level: "none", onDropped: () => undefined });
const redis = redisFromConfig(config, "state", { service: "auth-engine", logger });
const write = historyWriterFromConfig(config, redis, instance);
const connected = new Promise<void>((resolve) => {
  redis.once("ready", resolve);
  redis.once("close", resolve);
});

parentPort?.on("message", (batch: DecisionBatch) => {
  void connected
    .then(() => write?.(batch, systemClock.now()))
    .then((lost = 0) => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      parentPort?.postMessage(lost);
    });
});
