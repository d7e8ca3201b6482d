import { join } from "node:path";
import type { Plugin } from "rolldown";
import { exactRegex } from "rolldown/filter";

const virtual = "\0postern:undici";

/**
 * A module with the parts of undici that the gateway and the engine use, and those that `@fastify/reply-from` looks for in the agent that it is given.
 * They are set up like those of undici's index.
 */
export function undiciModule(root: string): string {
  const part = (path: string): string => JSON.stringify(join(root, "node_modules/undici/lib", path));
  return [
    `import api from ${part("api/index.js")};`,
    `import Dispatcher from ${part("dispatcher/dispatcher.js")};`,
    `import Agent from ${part("dispatcher/agent.js")};`,
    `import BalancedPool from ${part("dispatcher/balanced-pool.js")};`,
    `import Client from ${part("dispatcher/client.js")};`,
    `import Pool from ${part("dispatcher/pool.js")};`,
    `import buildConnector from ${part("core/connect.js")};`,
    "Object.assign(Dispatcher.prototype, api);",
    "export { Agent, BalancedPool, Client, Dispatcher, Pool, buildConnector };",
  ].join("\n");
}

/**
 * The index of undici runs all of it, fetch and its caches included, and reads a global of Node that loads Node's own copy. That takes a
 * tenth of the CPU time of a gateway's start. An import of another name fails the build.
 */
export function undiciInParts(root: string): Plugin {
  return {
    name: "postern-undici",
    resolveId: { filter: { id: exactRegex("undici") }, handler: () => virtual },
    load: { filter: { id: exactRegex(virtual) }, handler: () => ({ code: undiciModule(root) }) },
  };
}
