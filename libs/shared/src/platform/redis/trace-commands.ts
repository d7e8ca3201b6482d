import type { Redis } from "ioredis";
import type { Tracer } from "../tracing/tracer.ts";
import type { RedisClient } from "./client.ts";

type Command = Parameters<Redis["sendCommand"]>[0];

function traceCommand({ name, promise }: Command, tracer: Tracer): void {
  const attributes = { "db.system.name": "redis", "db.operation.name": name };
  const span = tracer.child({ name: `redis ${name}`, kind: "client", attributes });
  if (span === undefined) return;
  promise.then(
    () => span.end(),
    () => span.end("error"),
  );
}

/**
 * Adds a span for each command that a traced request sends: its name without keys and arguments. Commands that the client of a Redis
 * Cluster gathers in pipelines have none, because a pipeline belongs to several requests.
 */
export function traceCommands(client: RedisClient, tracer: Tracer): void {
  const traced: { sendCommand(command: Command, ...rest: unknown[]): unknown } = client;
  const send = traced.sendCommand.bind(client);
  traced.sendCommand = (command, ...rest) => {
    traceCommand(command, tracer);
    return send(command, ...rest);
  };
}
