import { Cluster, type Redis, type RedisOptions } from "ioredis";
import type { Secret } from "../crypto/secret.ts";
import type { HostPort } from "../net/host-port.ts";
import { type ConfirmedPrimary, createConfirmedPrimary } from "./confirmed-primary.ts";
import { GatheredRedis } from "./gathered-redis.ts";
import { createSentinelPanel } from "./sentinel-panel.ts";

/** The purpose of a connection: one client per role (ADR 0004). All roles may use one server. */
export type RedisRole = "state" | "queue" | "cache";

/** Read for each connection. */
export interface RedisTls {
  readonly ca?: Buffer | undefined;
  readonly cert?: Buffer | undefined;
  readonly key?: Buffer | undefined;
  readonly rejectUnauthorized: boolean;
}

interface Login {
  readonly username: string | undefined;
  readonly password: Secret | undefined;
}

interface SentinelTopology extends Login {
  readonly kind: "sentinel";
  readonly master: string;
  readonly addresses: readonly HostPort[];
}

export type RedisTopology =
  | { readonly kind: "standalone"; readonly address: HostPort }
  | SentinelTopology
  | { readonly kind: "cluster"; readonly addresses: readonly HostPort[] };

export interface RedisSettings extends Login {
  readonly topology: RedisTopology;
  readonly database: number;
  readonly tls: RedisTls | undefined;
  readonly connectTimeoutMs: number;
  readonly commandTimeoutMs: number;
  readonly maxRetries: number;
  /** For a worker with blocking commands: commands are queued and repeated until they succeed. */
  readonly isBlocking?: boolean;
  /** Shown by CLIENT LIST. */
  readonly connectionName: string;
}

export type RedisClient = Redis | Cluster;

const maxBackoffMs = 2000;
/** While a failover is in progress, the next attempt may already find the new primary. */
const maxFailoverBackoffMs = 500;

function backoff(attempt: number): number {
  return Math.min(maxBackoffMs, 50 * 2 ** Math.min(attempt, 6)) * (0.5 + Math.random() / 2);
}

function failoverBackoff(attempt: number): number {
  return Math.min(maxFailoverBackoffMs, backoff(attempt));
}

/** The limit for one server of several. A host that is gone does not refuse connections, and the next server is tried only afterwards. */
const failoverConnectMs = 1000;
/** A closed connection to a host that is gone would otherwise linger, and keep the client from connecting again. */
const disconnectMs = 100;
const keepAliveMs = 5000;
/** Interval in which a client asks the cluster which node serves what. */
const slotsRefreshMs = 1000;

/** Longer than any blocking command, so that only connections to a hung server are closed. */
const blockingTimeoutMs = 15_000;

const blockingOptions = {
  commandTimeout: blockingTimeoutMs,
  socketTimeout: blockingTimeoutMs,
  maxRetriesPerRequest: null,
  enableOfflineQueue: true,
};

function loginOf({ username, password }: Login) {
  return {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password: password.reveal() }),
  };
}

function nodeOptions(settings: RedisSettings) {
  const { tls } = settings;
  return {
    db: settings.database,
    connectionName: settings.connectionName,
    connectTimeout: settings.connectTimeoutMs,
    // A hung server never answers; without this a command would wait indefinitely.
    commandTimeout: settings.commandTimeoutMs,
    // Ends the connection, and not only the command: TCP alone waits up to 16 minutes for a host that is gone.
    socketTimeout: settings.commandTimeoutMs,
    disconnectTimeout: disconnectMs,
    keepAlive: keepAliveMs,
    // Redis may have executed a command whose connection was lost: if it were sent again (0 prevents that), a one-time value would look as
    // if it had been used before.
    maxRetriesPerRequest: settings.maxRetries,
    // While Redis is unavailable a command fails immediately; the caller decides what to do, not a queue.
    enableOfflineQueue: false,
    retryStrategy: backoff,
    protocol: 2 as const,
    // Sent to each server, and refused by those before 7.2.
    disableClientInfo: true,
    ...(settings.isBlocking === true ? blockingOptions : undefined),
    ...loginOf(settings),
    // This must be the object itself, because a copy would keep the certificates of the start.
    ...(tls === undefined ? undefined : { tls }),
  };
}

/** The connection timeout of a server that others can replace. */
function failoverOptions(settings: RedisSettings) {
  return {
    ...nodeOptions(settings),
    connectTimeout: Math.min(settings.connectTimeoutMs, failoverConnectMs),
    retryStrategy: failoverBackoff,
  };
}

function clusterOptions(settings: RedisSettings) {
  const redisOptions = failoverOptions(settings);
  const isBlocking = settings.isBlocking === true;
  return {
    redisOptions,
    enableOfflineQueue: isBlocking,
    enableAutoPipelining: !isBlocking,
    clusterRetryStrategy: failoverBackoff,
    slotsRefreshInterval: slotsRefreshMs,
    // 0 repeats no command whose connection was lost; see `nodeOptions`.
    ...(isBlocking || settings.maxRetries > 0 ? undefined : { retryDelayOnFailover: 0 }),
  };
}

/**
 * A client that connects in the background and reconnects without limit; commands fail immediately while it is disconnected.
 */
export function createRedisClient(settings: RedisSettings, onError: (error: unknown) => void): RedisClient {
  const client = connect(settings);
  client.on("error", onError);
  return client;
}

type Sent = Parameters<Redis["sendCommand"]>;

class PrimaryRedis extends GatheredRedis {
  readonly #primary: ConfirmedPrimary;

  constructor(options: Omit<RedisOptions, "replyMapping">, primary: ConfirmedPrimary) {
    super(options);
    this.#primary = primary;
  }

  override sendCommand(...sent: Sent): unknown {
    this.#primary.leaveIfStopped();
    return super.sendCommand(...sent);
  }
}

/** Asks a quiet connection for the role of its server, which also shows that it still answers. */
const roleCheckMs = 1000;

/** A server that has become a replica is left; a user may not be permitted to ask. */
function watchRole(client: Redis): void {
  const timer = setInterval(() => {
    if (client.status !== "ready") return;
    void client.role().then(
      ([role]) => role !== "master" && client.disconnect(true),
      () => undefined,
    );
  }, roleCheckMs);
  client.once("end", () => clearInterval(timer));
}

function connectBySentinels(settings: RedisSettings, topology: SentinelTopology): RedisClient {
  const panel = createSentinelPanel(topology.master, topology.addresses, loginOf(topology));
  const primary = createConfirmedPrimary(panel, settings.tls, disconnectMs);
  // BullMQ duplicates the client of a worker, and the duplicates have the same connector.
  const client = new PrimaryRedis({ ...failoverOptions(settings), Connector: primary.Connector }, primary);
  if (settings.isBlocking !== true) watchRole(client);
  client.once("end", () => primary.close());
  return client;
}

function connect(settings: RedisSettings): RedisClient {
  const { topology } = settings;
  const options = nodeOptions(settings);
  switch (topology.kind) {
    case "standalone":
      return new GatheredRedis({ ...options, host: topology.address.host, port: topology.address.port });
    case "sentinel":
      return connectBySentinels(settings, topology);
    case "cluster":
      return new Cluster(
        topology.addresses.map(({ host, port }) => ({ host, port })),
        clusterOptions(settings),
      );
  }
}
