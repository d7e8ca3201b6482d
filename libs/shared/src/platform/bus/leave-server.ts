import { setTimeout as delay } from "node:timers/promises";
import type { NatsConnection } from "@nats-io/transport-node";
import { endsWithin } from "../concurrency/deadline.ts";
import type { BusLogger, LinkSubscriptions } from "./link-subscriptions.ts";
import type { ServerChange } from "./server-change.ts";

const spreadMs = 500;
const answersMs = 500;
const drainMs = 2000;

/** A connection that can be moved to another server, and what depends on it. */
export interface LeavableConnection {
  readonly connection: NatsConnection;
  readonly state: {
    readonly get: () => string;
    readonly set: (next: "connected" | "disconnected") => void;
    /** How often it was set to connected. */
    readonly connections: () => number;
  };
  readonly subscriptions: LinkSubscriptions;
  readonly change: ServerChange;
  /** What a move from a server that is shutting down waits for. */
  readonly waits: readonly (() => Promise<unknown>)[];
  readonly logger: BusLogger;
}

/** @returns whether the connection that was in use at the call is still in use */
function inUse({ connection, state }: LeavableConnection): () => boolean {
  const count = state.connections();
  return () => !connection.isClosed() && state.connections() === count && state.get() === "connected";
}

/**
 * The server is shutting down: await the replies to our requests, process what the server has already delivered to our queue groups, then
 * connect to another server. Requests that are made from now on wait for it.
 */
export async function leaveLameDuck(leavable: LeavableConnection): Promise<void> {
  const { connection, change, waits, logger } = leavable;
  // A server in this mode announces it more than once.
  if (change.isUnderWay()) return;
  const isInUse = inUse(leavable);
  logger.warn({ server: connection.getServer() }, "bus server entered lame duck mode");
  if (connection.getServers().length < 2) return;
  await delay(Math.random() * spreadMs, undefined, { ref: false });
  if (!isInUse() || change.isUnderWay()) return;
  change.begin();
  await endsWithin(Promise.all(waits.map((wait) => wait())), answersMs);
  // Rejects only while we are closing the connection ourselves.
  await leave(leavable, isInUse, () => connection.reconnect().catch(() => undefined));
}

/** The server works, but whom we need is not heard there: no reply to our requests would come, so none is awaited. */
export async function leaveSilent(leavable: LeavableConnection): Promise<void> {
  const isInUse = inUse(leavable);
  leavable.change.begin();
  // A new connection, because the client forgets the servers that a server without routes no longer announces.
  await leave(leavable, isInUse, () => leavable.connection.close());
}

async function leave(
  { connection, state, subscriptions, change }: LeavableConnection,
  isInUse: () => boolean,
  replace: () => Promise<unknown>,
): Promise<void> {
  await endsWithin(subscriptions.drainServed(), drainMs);
  // This sends what was published last.
  if (isInUse()) await endsWithin(connection.flush(), answersMs);
  // It ended if the server was lost in the meantime and another one accepted the connection.
  if (!change.isUnderWay()) return;
  change.replacing();
  if (!isInUse()) return;
  // Replies that have not arrived may be lost.
  state.set("disconnected");
  await replace();
}
