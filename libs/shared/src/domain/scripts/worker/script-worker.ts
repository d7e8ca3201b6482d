import { parentPort, workerData } from "node:worker_threads";
import { WorkerLoop } from "./worker-loop.ts";

if (parentPort === null) throw new Error("this file is the start of a worker thread");
await new WorkerLoop(workerData, parentPort).load();
