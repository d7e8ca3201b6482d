import { relative } from "node:path";

/**
 * Where code asks for its own place, a bundle gives another answer. Each module that asks was looked at; one that is new
 * here fails the build.
 */
const reviewed: ReadonlySet<string> = new Set([
  // `../../proto` is the same folder from src/grpc, dist/grpc and dist/bundle.
  "services/gateway/src/grpc/protocol.ts",
  // Threads: `workers.ts` puts their entries where these look.
  "libs/shared/src/passwords/sha-crypt-pool.ts",
  "libs/shared/src/scripts/worker-handle.ts",
  "services/idp/src/saml/metadata/read-in-thread.ts",
  // Loads a package that is external.
  "libs/shared/src/scripts/worker/lua-api.ts",
  "node_modules/cbor-x/node-index.js",
  "node_modules/msgpackr/dist/node.cjs",
  // For an option that we do not set: threads for logging, processors given as files, stacks of commands.
  "node_modules/pino/lib/transport.js",
  "node_modules/thread-stream/index.js",
  "node_modules/bullmq/dist/cjs/classes/worker.js",
  "node_modules/ioredis/built/Command.js",
  // Only a comment, or for a stack trace.
  "node_modules/bullmq/dist/cjs/postgres/sql-scripts.js",
  "node_modules/undici/index.js",
]);

const asksForItsPlace = /\bimport\.meta\b|\b__(dirname|filename)\b|\bcreateRequire\(/u;

/** A module that asks where it lies and that nobody looked at, as a path from `root`; else undefined. */
export function unreviewedPath(root: string, id: string, code: string): string | undefined {
  if (!asksForItsPlace.test(code)) return undefined;
  const path = relative(root, id);
  return reviewed.has(path) ? undefined : path;
}
