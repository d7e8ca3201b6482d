import http from "node:http";
import type { Plugin } from "rolldown";
import { exactRegex } from "rolldown/filter";

const virtual = "\0postern:http";

/** Node loads its WebSocket client, with all of undici, for these. */
const lazy: ReadonlySet<string> = new Set(["WebSocket", "CloseEvent", "MessageEvent"]);

/** A module with the exports of `node:http`, apart from those that load undici. */
export function httpModule(): string {
  const names = Object.keys(http).filter((name) => !lazy.has(name));
  return [
    'const http = process.getBuiltinModule("node:http");',
    "export default http;",
    `export const { ${names.join(", ")} } = http;`,
  ].join("\n");
}

/**
 * Imports of `node:http` read every export of it when they are linked, including those that are not imported. That loads undici, which takes a
 * tenth of the CPU time of a service's start.
 */
export function httpWithoutUndici(): Plugin {
  return {
    name: "postern-http",
    resolveId: {
      filter: { id: /^(?:node:)?http$/ },
      handler: (_source, _importer, { kind }) =>
        kind === "import-statement" || kind === "dynamic-import" ? virtual : null,
    },
    load: {
      filter: { id: exactRegex(virtual) },
      handler: () => ({ code: httpModule(), moduleSideEffects: false }),
    },
  };
}
