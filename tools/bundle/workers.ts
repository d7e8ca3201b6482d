/** The entry of a thread, and its file in the bundle, where the module that starts the thread looks for it. */
export interface WorkerEntry {
  readonly source: string;
  readonly fileName: string;
}

const workers: Readonly<Record<string, WorkerEntry>> = {
  "libs/shared/src/domain/scripts/worker-handle.ts": {
    source: "libs/shared/src/domain/scripts/worker/script-worker.ts",
    fileName: "worker/script-worker.js",
  },
  "libs/shared/src/domain/passwords/schemes.ts": {
    source: "libs/shared/src/domain/passwords/crypt-worker.ts",
    fileName: "crypt-worker.js",
  },
  "services/auth-engine/src/rehearsal/rehearsal-thread.ts": {
    source: "services/auth-engine/src/rehearsal/rehearsal-worker.ts",
    fileName: "rehearsal-worker.js",
  },
  "services/idp/src/saml/metadata/read-in-thread.ts": {
    source: "services/idp/src/saml/metadata/read-worker.ts",
    fileName: "read-worker.js",
  },
};

/** The thread that the module at `path` (from the repository's root) starts. */
export function workerStartedBy(path: string): WorkerEntry | undefined {
  return workers[path];
}
