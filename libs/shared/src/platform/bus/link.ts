import { setTimeout as delay } from "node:timers/promises";
import {
  type ConnectionOptions,
  connect,
  type MsgHdrs,
  type NatsConnection,
  type Status,
} from "@nats-io/transport-node";
import { endsWithin } from "../concurrency/deadline.ts";
import { type ConnectionMove, createConnectionMove, type HeldMessage } from "./connection-move.ts";
import { createLinkSubscriptions, type LinkSubscriptions } from "./link-subscriptions.ts";
import type { BusLogger } from "./logger.ts";
import { createServerOrder } from "./server-order.ts";

export type BusStatus = "connecting" | "connected" | "disconnected" | "closed";

/** One connection to NATS that reconnects without limit; subscriptions survive a reconnect. */
export interface Link {
  readonly status: () => BusStatus;
  /** Also while the connection moves from a server that is shutting down to another one. */
  readonly isConnected: () => boolean;
  /** How often it has connected. */
  readonly connections: () => number;
  /** The server's limit for one message, in bytes. */
  readonly maxPayload: () => number;
  /** @throws Error when the message is rejected; callers check `isConnected` first. */
  publish(subject: string, bytes: Uint8Array, reply?: string, headers?: MsgHdrs): void;
  readonly subscribe: LinkSubscriptions["add"];
  onStatus(listener: (status: BusStatus) => void): void;
  /** Before a move to another server, waits for this too, but not longer than half a second. */
  beforeMove(wait: () => Promise<unknown>): void;
  /**
   * Resolves when the server has processed everything published so far; rejects if the connection is lost before that.
   */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface LinkDeps {
  readonly options: ConnectionOptions;
  readonly logger: BusLogger;
}

const defaultMaxPayload = 1024 * 1024;
const lameDuckSpreadMs = 500;
const lameDuckDrainMs = 2000;
const lameDuckAnswersMs = 500;
const errorLogIntervalMs = 1000;

/**
 * Reconnects without limit, and spreads the reconnects of many clients. A server that is frozen, or whose host is gone, is detected within
 * 1.2 to 1.6 s by its missing pongs: TCP alone would wait for minutes.
 */
const connectionDefaults: ConnectionOptions = {
  noAsyncTraces: true,
  ignoreAuthErrorAbort: true,
  maxReconnectAttempts: -1,
  reconnectDelayHandler: retryDelayMs,
  // For one server. While it has not answered, the next one is not tried.
  timeout: 2000,
  pingInterval: 400,
  maxPingOut: 3,
  // Our own order: see server-order.ts.
  noRandomize: true,
};

function retryDelayMs(): number {
  return 100 + Math.floor(Math.random() * 300);
}

export function createLink({ options, logger }: LinkDeps): Link {
  const closing = new AbortController();
  const state = createLinkState(logger);
  const subscriptions = createLinkSubscriptions(logger);
  const servers = createServerOrder(options.servers);
  // What was held is lost with the connection.
  const move = createConnectionMove(state.repeat);
  const waits: (() => Promise<unknown>)[] = [];
  let connection: NatsConnection | undefined;

  const keep = async (newConnection: NatsConnection): Promise<void> => {
    connection = newConnection;
    const context = { connection: newConnection, state, subscriptions, move, waits, logger };
    useConnection(context);
    for await (const event of newConnection.status()) {
      servers.learn(newConnection);
      applyStatus(event, context);
    }
    const reason = await newConnection.closed();
    if (reason instanceof Error) logger.warn({ error: reason.message }, "bus client closed its connection permanently");
    subscriptions.detach();
    state.set("disconnected");
  };

  const run = async (): Promise<void> => {
    const logError = createErrorLog(logger);
    while (!closing.signal.aborted) {
      try {
        const newConnection = await connect({ ...connectionDefaults, ...options, servers: servers.inOrder() });
        if (closing.signal.aborted) await newConnection.close();
        else await keep(newConnection);
        // The server was lost, not refused: another one is tried immediately.
        if (servers.hasOthers()) continue;
      } catch (error) {
        logError(error);
      }
      await delay(retryDelayMs(), undefined, { signal: closing.signal }).catch(() => undefined);
    }
  };
  void run();

  return {
    status: state.get,
    isConnected: () => state.get() === "connected" || move.isUnderWay(),
    connections: state.connections,
    maxPayload: () => connection?.info?.max_payload ?? defaultMaxPayload,
    publish(subject, bytes, reply, headers) {
      if (move.isUnderWay()) move.hold({ subject, bytes, reply, headers });
      else if (connection !== undefined) publishOn(connection, { subject, bytes, reply, headers });
    },
    subscribe: subscriptions.add,
    onStatus: state.onChange,
    beforeMove: (wait) => void waits.push(wait),
    flush: async () => connection?.flush(),
    async close() {
      if (closing.signal.aborted) return;
      closing.abort();
      state.set("closed");
      await connection?.close();
    },
  };
}

function publishOn(connection: NatsConnection, { subject, bytes, reply, headers }: HeldMessage): void {
  const options = reply === undefined || headers === undefined ? undefined : { reply, headers };
  connection.publish(subject, bytes, options ?? (reply === undefined ? undefined : { reply }));
}

interface LinkState {
  readonly get: () => BusStatus;
  /** How often it was set to connected. */
  readonly connections: () => number;
  readonly set: (next: BusStatus) => void;
  /** Calls the listeners although the status is the same. */
  readonly repeat: () => void;
  readonly onChange: (listener: (status: BusStatus) => void) => void;
}

function createLinkState(logger: BusLogger): LinkState {
  const listeners: ((status: BusStatus) => void)[] = [];
  let status: BusStatus = "connecting";
  let connections = 0;
  return {
    get: () => status,
    connections: () => connections,
    set(next) {
      if (status === next || status === "closed") return;
      status = next;
      if (next === "connected") connections += 1;
      logger.info({ status }, "bus connection state changed");
      for (const listener of listeners) listener(next);
    },
    repeat() {
      for (const listener of listeners) listener(status);
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

/** Logs at most one line per second, because a server that rejects us reports it at each attempt. */
function createErrorLog(logger: BusLogger): (error: unknown) => void {
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (performance.now() - loggedAtMs < errorLogIntervalMs) return;
    loggedAtMs = performance.now();
    logger.warn({ error: error instanceof Error ? error.message : String(error) }, "bus connection error");
  };
}

interface StatusContext {
  readonly connection: NatsConnection;
  readonly state: LinkState;
  readonly subscriptions: LinkSubscriptions;
  readonly move: ConnectionMove;
  /** What a move waits for. */
  readonly waits: readonly (() => Promise<unknown>)[];
  readonly logger: BusLogger;
}

/** Subscribes on a connection, and publishes what was held for it. */
function useConnection({ connection, state, subscriptions, move }: StatusContext): void {
  subscriptions.activateOn(connection);
  for (const message of move.end()) publishOn(connection, message);
  state.set("connected");
}

function applyStatus(event: Status, context: StatusContext): void {
  const { connection, state, logger } = context;
  if (event.type === "disconnect") state.set("disconnected");
  if (event.type === "staleConnection") {
    state.set("disconnected");
    // Left to itself, the client first waits until the server has taken what was sent, which can last as long as TCP's patience.
    void connection.close();
  }
  if (event.type === "reconnect") useConnection(context);
  if (event.type === "error") logger.warn({ error: event.error.message }, "bus server reported an error");
  if (event.type === "ldm") void leaveLameDuck(context);
}

/**
 * The server is shutting down: process what it has already delivered to our queue groups, await the replies to what was sent through it, then
 * connect to another server. What is published from then on is held for that server.
 */
async function leaveLameDuck(context: StatusContext): Promise<void> {
  const { connection, state, subscriptions, move, waits, logger } = context;
  const server = connection.getServer();
  const hasLeft = (): boolean => connection.isClosed() || connection.getServer() !== server;
  logger.warn({ server }, "bus server entered lame duck mode");
  if (connection.getServers().length < 2) return;
  await delay(Math.random() * lameDuckSpreadMs, undefined, { ref: false });
  if (hasLeft()) return;
  await endsWithin(subscriptions.drainServed(), lameDuckDrainMs);
  if (hasLeft()) return;
  move.begin();
  await endsWithin(Promise.all(waits.map((wait) => wait())), lameDuckAnswersMs);
  if (hasLeft()) return;
  // Replies that have not arrived may be lost.
  state.set("disconnected");
  // Rejects only while we are closing the connection ourselves.
  await connection.reconnect().catch(() => undefined);
}
