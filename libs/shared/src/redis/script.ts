import type { RedisClient } from "./client.ts";

/** One atomic step inside Redis. */
export interface RedisScript {
  /** Unique in the client. */
  readonly name: string;
  readonly lua: string;
  /** Absent: each call says how many; not on a cluster, where the client finds the slot by the first argument. */
  readonly numberOfKeys?: number;
}

export type RunScript = (keys: readonly string[], args: readonly (string | number)[]) => Promise<unknown>;

/** The script as a command of this client: sent by its digest, and in full to a Redis that does not know it. */
export function defineScript(client: RedisClient, { name, lua, numberOfKeys }: RedisScript): RunScript {
  const varies = numberOfKeys === undefined;
  client.defineCommand(name, varies ? { lua } : { lua, numberOfKeys });
  const command: unknown = Reflect.get(client, name);
  if (typeof command !== "function") throw new TypeError(`${name} is no command`);
  return async (keys, args) =>
    Reflect.apply(command, client, varies ? [keys.length, ...keys, ...args] : [...keys, ...args]);
}
