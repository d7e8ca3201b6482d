import { Worker } from "node:worker_threads";
import { MetadataError } from "./load-document.ts";
import type { MetadataFacts } from "./read-metadata.ts";
import type { ReadOutcome, ReadTask } from "./read-worker.ts";

/** The worker is TypeScript in the source and JavaScript in the build, like this file. */
function workerUrl(): URL {
  const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./read-worker.${ending}`, import.meta.url);
}

const memoryMiB = 512;

/**
 * Verifies and reads a document in a separate thread that then ends: a federation's takes a fifth of a second of CPU per
 * MiB, and memory that is freed with the thread. Rejects with MetadataError.
 */
export async function readInThread(task: ReadTask, signal: AbortSignal): Promise<MetadataFacts> {
  signal.throwIfAborted();
  const worker = new Worker(workerUrl(), {
    workerData: task,
    name: "saml-metadata",
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: memoryMiB },
  });
  const stop = (): void => void worker.terminate();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const read = await new Promise<ReadOutcome>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
      worker.once("exit", () => reject(new Error("the metadata thread ended unexpectedly")));
    });
    if (read.outcome === "read") return read.facts;
    throw new MetadataError(read.failure, read.detail);
  } catch (error) {
    if (error instanceof MetadataError) throw error;
    throw new MetadataError("too_large", "could not be read within the limits of time and memory", { cause: error });
  } finally {
    signal.removeEventListener("abort", stop);
    await worker.terminate();
  }
}
