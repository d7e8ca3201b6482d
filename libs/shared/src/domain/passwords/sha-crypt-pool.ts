import { Piscina } from "piscina";
import type { ShaCryptTask } from "./sha-crypt-digest.ts";

export interface ShaCryptPool {
  computeDigest(task: ShaCryptTask): Promise<string>;
  close(): Promise<void>;
}

/** Threads start with the first `$5$` or `$6$` password and end after half a minute without one. */
const idleTimeoutMs = 30_000;

export function createShaCryptPool({ maxThreads }: { readonly maxThreads: number }): ShaCryptPool {
  let threads: Piscina<ShaCryptTask, string> | undefined;
  const start = (): Piscina<ShaCryptTask, string> =>
    new Piscina<ShaCryptTask, string>({
      filename: workerUrl(),
      name: "computeShaCryptDigest",
      minThreads: 0,
      maxThreads,
      idleTimeout: idleTimeoutMs,
    });
  return {
    computeDigest(task) {
      threads ??= start();
      return threads.run(task);
    },
    async close() {
      await threads?.destroy();
    },
  };
}

/** The worker is TypeScript when run from source and JavaScript in the build: it has the extension of this file. */
function workerUrl(): string {
  const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./sha-crypt-worker.${ending}`, import.meta.url).href;
}
