import { parentPort, workerData } from "node:worker_threads";
import type { FromWorker, ToWorker, WorkerStart } from "../messages.ts";
import { runWorker } from "./worker-loop.ts";

if (parentPort === null) throw new Error("this file is the start of a worker thread");
const port = parentPort;
const start: WorkerStart = workerData;
await runWorker(start, {
  send: (messages: readonly FromWorker[]) => port.postMessage(messages),
  onBatch: (take) => port.on("message", (batch: readonly ToWorker[]) => take(batch)),
});
