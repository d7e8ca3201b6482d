import { relative } from "node:path";

/**
 * Modules that use their own location, which differs in a bundle. Each was reviewed; a module that is not listed fails the build.
 */
const reviewed: ReadonlySet<string> = new Set([
  // Threads: `workers.ts` places their entries where these look.
  "libs/shared/src/domain/passwords/schemes.ts",
  "libs/shared/src/domain/scripts/worker-handle.ts",
  "services/auth-engine/src/rehearsal/rehearsal-thread.ts",
  "services/idp/src/saml/metadata/read-in-thread.ts",
  // Finds the demo of a working copy, which a package has not.
  "cli/src/operator/running-demo.ts",
  // Loads a package that is external.
  "libs/shared/src/domain/scripts/worker/lua-api.ts",
  "node_modules/cbor-x/node-index.js",
  "node_modules/msgpackr/dist/node.cjs",
  // These modules use their location for options that we do not use: threads for logging, processors as files, command stacks.
  "node_modules/pino/lib/transport.js",
  "node_modules/thread-stream/index.js",
  "node_modules/bullmq/dist/cjs/classes/worker.js",
  "node_modules/ioredis/built/Command.js",
  // These modules name their location in a comment, or for a stack trace.
  "node_modules/bullmq/dist/cjs/postgres/sql-scripts.js",
  "node_modules/undici/index.js",
]);

/** Code that may use its own location. */
export const asksForItsPlace = /\bimport\.meta\b|\b__(dirname|filename)\b|\bcreateRequire\(/u;

/** The path from `root` of a module that uses its own location and was not reviewed; otherwise undefined. */
export function unreviewedPath(root: string, id: string, code: string): string | undefined {
  if (!asksForItsPlace.test(code)) return undefined;
  const path = relative(root, id);
  return reviewed.has(path) ? undefined : path;
}
