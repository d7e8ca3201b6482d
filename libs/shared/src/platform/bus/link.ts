import { setTimeout as delay } from "node:timers/promises";
import {
  type ConnectionOptions,
  connect,
  type MsgHdrs,
  type NatsConnection,
  type Status,
} from "@nats-io/transport-node";
import { endsWithin } from "../concurrency/deadline.ts";
import { createLinkSubscriptions, type LinkSubscriptions } from "./link-subscriptions.ts";
import type { BusLogger } from "./logger.ts";
import { createServerOrder } from "./server-order.ts";

export type BusStatus = "connecting" | "connected" | "disconnected" | "closed";

/** One connection to NATS that reconnects without limit; subscriptions survive a reconnect. */
export interface Link {
  readonly status: () => BusStatus;
  readonly isConnected: () => boolean;
  /** How often it has connected. */
  readonly connections: () => number;
  /** The server's limit for one message, in bytes. */
  readonly maxPayload: () => number;
  /** @throws Error when the message is rejected; callers check `isConnected` first. */
  publish(subject: string, bytes: Uint8Array, reply?: string, headers?: MsgHdrs): void;
  readonly subscribe: LinkSubscriptions["add"];
  onStatus(listener: (status: BusStatus) => void): void;
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
  let connection: NatsConnection | undefined;

  const keep = async (newConnection: NatsConnection): Promise<void> => {
    connection = newConnection;
    subscriptions.activateOn(newConnection);
    state.set("connected");
    for await (const event of newConnection.status()) {
      servers.learn(newConnection);
      applyStatus(event, { connection: newConnection, state, subscriptions, logger });
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
    isConnected: () => state.get() === "connected",
    connections: state.connections,
    maxPayload: () => connection?.info?.max_payload ?? defaultMaxPayload,
    publish(subject, bytes, reply, headers) {
      const options = reply === undefined || headers === undefined ? undefined : { reply, headers };
      connection?.publish(subject, bytes, options ?? (reply === undefined ? undefined : { reply }));
    },
    subscribe: subscriptions.add,
    onStatus: state.onChange,
    flush: async () => connection?.flush(),
    async close() {
      if (closing.signal.aborted) return;
      closing.abort();
      state.set("closed");
      await connection?.close();
    },
  };
}

interface LinkState {
  readonly get: () => BusStatus;
  /** How often it was set to connected. */
  readonly connections: () => number;
  readonly set: (next: BusStatus) => void;
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
  readonly logger: BusLogger;
}

function applyStatus(event: Status, context: StatusContext): void {
  const { connection, state, subscriptions, logger } = context;
  if (event.type === "disconnect") state.set("disconnected");
  if (event.type === "staleConnection") {
    state.set("disconnected");
    // Left to itself, the client first waits until the server has taken what was sent, which can last as long as TCP's patience.
    void connection.close();
  }
  if (event.type === "reconnect") {
    subscriptions.activateOn(connection);
    state.set("connected");
  }
  if (event.type === "error") logger.warn({ error: event.error.message }, "bus server reported an error");
  if (event.type === "ldm") void leaveLameDuck(context);
}

/**
 * The server is shutting down: process what it has already delivered to our queue groups, then connect to another server.
 */
async function leaveLameDuck({ connection, subscriptions, logger }: StatusContext): Promise<void> {
  const server = connection.getServer();
  const hasLeft = (): boolean => connection.isClosed() || connection.getServer() !== server;
  logger.warn({ server }, "bus server entered lame duck mode");
  if (connection.getServers().length < 2) return;
  await delay(Math.random() * lameDuckSpreadMs, undefined, { ref: false });
  if (hasLeft()) return;
  await endsWithin(subscriptions.drainServed(), lameDuckDrainMs);
  // Rejects only while we are closing the connection ourselves.
  if (!hasLeft()) await connection.reconnect().catch(() => undefined);
}
