import { Piscina } from "piscina";
import type { CryptTask } from "./crypt-worker.ts";
import type { ShaCryptTask } from "./sha-crypt-digest.ts";

/** Threads start with the first such password and end after half a minute without one. */
const idleTimeoutMs = 30_000;

/** Threads for hashes that take milliseconds of JavaScript, or that only crypt(3) computes. */
export function createCryptThreads(maxThreads: number) {
  let threads: Piscina<ShaCryptTask | CryptTask, string> | undefined;
  const run = (task: ShaCryptTask | CryptTask, name: string): Promise<string> => {
    threads ??= new Piscina({ filename: workerUrl(), minThreads: 0, maxThreads, idleTimeout: idleTimeoutMs });
    return threads.run(task, { name });
  };
  return {
    computeShaCrypt: (task: ShaCryptTask): Promise<string> => run(task, "computeShaCryptDigest"),
    /** What crypt(3) makes of the password; empty if it refuses. Rejects if the system has no libcrypt. */
    computeCrypt: (task: CryptTask): Promise<string> => run(task, "computeCrypt"),
    async close(): Promise<void> {
      await threads?.destroy();
    },
  };
}

export type CryptThreads = ReturnType<typeof createCryptThreads>;

/** The worker is TypeScript when run from source and JavaScript in the build: it has the extension of this file. */
function workerUrl(): string {
  const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./crypt-worker.${ending}`, import.meta.url).href;
}
