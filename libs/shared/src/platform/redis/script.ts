import type { RedisClient } from "./client.ts";

/** A script whose number of keys and arguments varies. */
export interface VariableScript {
  /** Unique in Postern. */
  readonly name: string;
  readonly lua: string;
}

/** One atomic step inside Redis, with its keys and arguments in the order of KEYS and ARGV. */
export interface RedisScript<Key extends string, Argument extends string> extends VariableScript {
  readonly keys: readonly Key[];
  readonly args: readonly Argument[];
}

type ArgumentValue = string | number;

export type RunScript<Key extends string, Argument extends string> = (
  keys: Readonly<Record<Key, string>>,
  args: Readonly<Record<Argument, ArgumentValue>>,
) => Promise<unknown>;

export type RunVariableScript = (keys: readonly string[], args: readonly ArgumentValue[]) => Promise<unknown>;

/** A command of this client: sent by its digest, and in full to a Redis that does not know the script. */
function defineCommand(client: RedisClient, name: string, definition: { lua: string; numberOfKeys?: number }) {
  // No command of Redis, and no method of the client, has such a name.
  const commandName = `script:${name}`;
  client.defineCommand(commandName, definition);
  const command: unknown = Reflect.get(client, commandName);
  if (typeof command !== "function") throw new TypeError(`the client did not define the command ${commandName}`);
  return async (words: readonly ArgumentValue[]): Promise<unknown> => Reflect.apply(command, client, words);
}

/** The names that the header of a `.lua` file gives its KEYS or ARGV: lines such as `-- ARGV[2] window_seconds: …`. */
function namesInHeader(lua: string, list: "KEYS" | "ARGV"): readonly string[] {
  const names = [...lua.matchAll(/^-- (KEYS|ARGV)\[\d+\] (\w+)/gmu)].filter((match) => match[1] === list);
  return names.map(([, , name = ""]) => name.replaceAll(/_(\w)/gu, (_, letter: string) => letter.toUpperCase()));
}

/**
 * Runs a script of a `.lua` file; keys and arguments go by the names that the file's header gives them.
 * @throws TypeError if the header has other names, or the same in another order
 */
export function defineScript<const Key extends string, const Argument extends string>(
  client: RedisClient,
  { name, lua, keys, args }: RedisScript<Key, Argument>,
): RunScript<Key, Argument> {
  for (const [list, names] of [
    ["KEYS", keys],
    ["ARGV", args],
  ] as const) {
    if (namesInHeader(lua, list).join() !== names.join())
      throw new TypeError(`${name}: ${list} is not ${names.join()}`);
  }
  const run = defineCommand(client, name, { lua, numberOfKeys: keys.length });
  return (keyOf, argumentOf) => run([...keys.map((key) => keyOf[key]), ...args.map((arg) => argumentOf[arg])]);
}

/**
 * Without `numberOfKeys` each call may have another number. On a cluster it is required, because the client finds the
 * slot by the first word of the command.
 */
export function defineVariableScript(
  client: RedisClient,
  { name, lua }: VariableScript,
  numberOfKeys?: number,
): RunVariableScript {
  if (numberOfKeys === undefined) {
    const run = defineCommand(client, name, { lua });
    return (keys, args) => run([keys.length, ...keys, ...args]);
  }
  const run = defineCommand(client, `${name}:${numberOfKeys}`, { lua, numberOfKeys });
  return (keys, args) => run([...keys, ...args]);
}

/** A list in parts for one script each, because Redis does nothing else while a script runs. */
export function chunksOf<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const starts = Array.from({ length: Math.ceil(items.length / size) }, (_, index) => index * size);
  return starts.map((start) => items.slice(start, start + size));
}

/** @throws TypeError for a reply that is not a list of texts */
export function textsIn(reply: unknown): readonly string[] {
  if (!Array.isArray(reply) || !reply.every((text) => typeof text === "string"))
    throw new TypeError("the script did not return a list of texts");
  return reply;
}

/** A reply of names and values that follow each other. @throws TypeError for any other reply */
export function readFields(reply: unknown): Readonly<Record<string, unknown>> {
  if (!Array.isArray(reply) || reply.length % 2 !== 0) throw new TypeError("the script did not return named fields");
  const values: readonly unknown[] = reply;
  const fields: Record<string, unknown> = {};
  for (let index = 0; index < values.length; index += 2) {
    const name = values[index];
    if (typeof name !== "string") throw new TypeError("the script did not return named fields");
    fields[name] = values[index + 1];
  }
  return fields;
}
