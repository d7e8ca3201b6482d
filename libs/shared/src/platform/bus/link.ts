import { setTimeout as delay } from "node:timers/promises";
import {
  type ConnectionOptions,
  connect,
  type MsgHdrs,
  type NatsConnection,
  type Status,
} from "@nats-io/transport-node";
import { type LeavableConnection, leaveLameDuck, leaveSilent } from "./leave-server.ts";
import { type BusLogger, createLinkSubscriptions } from "./link-subscriptions.ts";
import { createServerChange } from "./server-change.ts";
import { createServerOrder, type ServerOrder } from "./server-order.ts";

export type BusStatus = "connecting" | "connected" | "disconnected" | "closed";

export type Link = ReturnType<typeof createLink>;

const defaultMaxPayload = 1024 * 1024;
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
  // The limit of one server. While it has not answered, the next one is not tried.
  timeout: 2000,
  pingInterval: 400,
  maxPingOut: 3,
  // Our own order: see server-order.ts.
  noRandomize: true,
};

function retryDelayMs(): number {
  return 100 + Math.floor(Math.random() * 300);
}

/** One connection to NATS that reconnects without limit; subscriptions survive a reconnect. */
export function createLink(options: ConnectionOptions, logger: BusLogger) {
  const closing = new AbortController();
  const state = createLinkState(logger);
  const subscriptions = createLinkSubscriptions(logger);
  const servers = createServerOrder(options.servers);
  const { change, ...moves } = createMoves();
  let connection: NatsConnection | undefined;
  let current: LeavableConnection | undefined;
  let maxPayload = defaultMaxPayload;
  /** Whether it is connected and knows another server. */
  const canMove = (): boolean => {
    if (current === undefined || state.get() !== "connected" || change.isUnderWay()) return false;
    return knowsOthers(servers, current);
  };

  const keep = async (newConnection: NatsConnection): Promise<void> => {
    connection = newConnection;
    current = { connection: newConnection, state, subscriptions, change, waits: moves.waits, logger };
    await followStatus(current, servers);
    subscriptions.detach();
    state.set("disconnected");
  };

  void connectForever({ options, servers, keep, closing: closing.signal, logger });

  return {
    status: state.get,
    isConnected: (): boolean => state.get() === "connected",
    /** Whether the connection is being moved from a server that is shutting down to another one. Requests wait for that. */
    isMoving: change.isUnderWay,
    connections: state.connections,
    /** The server's limit for one message, in bytes. Between two servers, the client knows none. */
    maxPayload: (): number => (maxPayload = connection?.info?.max_payload ?? maxPayload),
    /** @throws Error when the message is rejected; callers check `isConnected` first. */
    publish: (subject: string, bytes: Uint8Array, reply?: string, headers?: MsgHdrs): void => {
      const options = headers === undefined ? undefined : { headers, ...(reply !== undefined && { reply }) };
      connection?.publish(subject, bytes, options ?? (reply === undefined ? undefined : { reply }));
    },
    subscribe: subscriptions.add,
    onStatus: state.onChange,
    /** Before it moves to another server, the link waits for this too, for at most half a second. */
    beforeMove: moves.beforeMove,
    canMove,
    /** Moves to another server, if it can; requests that are made in the meantime wait for that one. */
    move: (): void => {
      if (current !== undefined && canMove()) void leaveSilent(current);
    },
    /** Called if no server accepts the connection that is being moved. */
    onMoveFailed: moves.onMoveFailed,
    /** Resolves when the server has processed everything published so far; rejects if the connection is lost before that. */
    flush: async (): Promise<void> => connection?.flush(),
    close: async (): Promise<void> => {
      if (closing.signal.aborted) return;
      closing.abort();
      change.end();
      state.set("closed");
      await connection?.close();
    },
  };
}

/** Uses a connection, and applies what the client reports until it is closed. */
async function followStatus(context: LeavableConnection, servers: ServerOrder): Promise<void> {
  const { connection } = context;
  servers.learn(connection);
  useConnection(context);
  for await (const event of connection.status()) {
    servers.learn(connection);
    applyStatus(event, context);
  }
  await logClosing(connection, context.logger);
}

function knowsOthers(servers: ServerOrder, { connection }: LeavableConnection): boolean {
  servers.learn(connection);
  return servers.hasOthers();
}

interface Connecting {
  readonly options: ConnectionOptions;
  readonly logger: BusLogger;
  readonly servers: ServerOrder;
  /** Uses a connection until it is closed. */
  readonly keep: (connection: NatsConnection) => Promise<void>;
  readonly closing: AbortSignal;
}

async function connectForever({ options, servers, keep, closing, logger }: Connecting): Promise<void> {
  const logError = createErrorLog(logger);
  while (!closing.aborted) {
    try {
      const connection = await connect({ ...connectionDefaults, ...options, servers: servers.inOrder() });
      if (closing.aborted) await connection.close();
      else await keep(connection);
      // The server was lost, not refused: another one is tried immediately.
      if (servers.hasOthers()) continue;
    } catch (error) {
      logError(error);
    }
    await delay(retryDelayMs(), undefined, { signal: closing }).catch(() => undefined);
  }
}

async function logClosing(connection: NatsConnection, logger: BusLogger): Promise<void> {
  const reason = await connection.closed();
  if (reason instanceof Error) logger.warn({ error: reason.message }, "bus client closed its connection permanently");
}

/** What others have to do with moves to another server. */
function createMoves() {
  const waits: (() => Promise<unknown>)[] = [];
  const listeners: (() => void)[] = [];
  const change = createServerChange(() => {
    for (const listener of listeners) listener();
  });
  return {
    change,
    waits,
    beforeMove: (wait: () => Promise<unknown>): void => void waits.push(wait),
    onMoveFailed: (listener: () => void): void => void listeners.push(listener),
  };
}

function createLinkState(logger: BusLogger) {
  const listeners: ((status: BusStatus) => void)[] = [];
  let status: BusStatus = "connecting";
  let connections = 0;
  return {
    get: (): BusStatus => status,
    /** How often it was set to connected. */
    connections: (): number => connections,
    set: (next: BusStatus): void => {
      if (status === next || status === "closed") return;
      status = next;
      if (next === "connected") connections += 1;
      logger.info({ status }, "bus connection state changed");
      for (const listener of listeners) listener(next);
    },
    onChange: (listener: (status: BusStatus) => void): void => void listeners.push(listener),
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

function useConnection({ connection, state, subscriptions, change }: LeavableConnection): void {
  subscriptions.activateOn(connection);
  change.end();
  state.set("connected");
}

function applyStatus(event: Status, context: LeavableConnection): void {
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
