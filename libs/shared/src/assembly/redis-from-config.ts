import { readFileSync } from "node:fs";
import type { Config, RedisRoleConfig } from "../platform/config/index.ts";
import { Secret } from "../platform/crypto/secret.ts";
import type { Logger } from "../platform/logging/logger.ts";
import { type HostPort, parseHostPort } from "../platform/net/host-port.ts";
import {
  createRedisClient,
  type RedisClient,
  type RedisRole,
  type RedisSettings,
  type RedisTls,
  type RedisTopology,
} from "../platform/redis/client.ts";
import { traceCommands } from "../platform/redis/trace-commands.ts";
import type { Tracer } from "../platform/tracing/tracer.ts";

const defaultPort = 6379;

const nonEmpty = (text: string): string | undefined => (text === "" ? undefined : text);
const secret = (text: string): Secret | undefined => (text === "" ? undefined : new Secret(text));
const addresses = (texts: readonly string[]): readonly HostPort[] => texts.flatMap((text) => parseHostPort(text) ?? []);

function topologyOf({ url, sentinels, cluster }: RedisRoleConfig): RedisTopology {
  if (cluster.addresses.length > 0) return { kind: "cluster", addresses: addresses(cluster.addresses) };
  if (sentinels.master !== "") {
    return {
      kind: "sentinel",
      master: sentinels.master,
      addresses: addresses(sentinels.addresses),
      username: nonEmpty(sentinels.username),
      password: secret(sentinels.password),
    };
  }
  const { hostname, port } = new URL(url);
  return { kind: "standalone", address: { host: hostname, port: port === "" ? defaultPort : Number(port) } };
}

/** Reads a file at each call; the last content remains in use while it cannot be read. */
function rereadFile(path: string): () => Buffer | undefined {
  if (path === "") return () => undefined;
  let content = readFileSync(path);
  return () => {
    try {
      content = readFileSync(path);
    } catch {
      // The file is being replaced.
    }
    return content;
  };
}

/** ioredis reads the properties for each connection, so that certificates can be replaced. */
function tlsOf({ url, tls }: RedisRoleConfig): RedisTls | undefined {
  if (!tls.enabled && !url.startsWith("rediss://")) return undefined;
  const [ca, cert, key] = [rereadFile(tls.ca_file), rereadFile(tls.cert), rereadFile(tls.key)];
  return {
    get ca() {
      return ca();
    },
    get cert() {
      return cert();
    },
    get key() {
      return key();
    },
    rejectUnauthorized: !tls.skip_verify,
  };
}

function databaseOf({ url, database_number: number }: RedisRoleConfig, { kind }: RedisTopology): number {
  if (kind === "cluster") return 0;
  const path = kind === "standalone" ? new URL(url).pathname.slice(1) : "";
  return path === "" ? number : Number(path);
}

interface RedisParts {
  readonly service: string;
  readonly logger: Pick<Logger, "info" | "warn">;
  /** For a worker with blocking commands. */
  readonly isBlocking?: boolean;
  readonly tracer?: Tracer | undefined;
}

function redisSettings(config: Config, role: RedisRole, { service, isBlocking = false }: RedisParts): RedisSettings {
  const { redis } = config.storage;
  const roleConfig = redis.roles[role];
  const topology = topologyOf(roleConfig);
  const url = new URL(roleConfig.url);
  const { cluster } = roleConfig;
  return {
    topology,
    database: databaseOf(roleConfig, topology),
    username: nonEmpty(roleConfig.username || cluster.username || decodeURIComponent(url.username)),
    password: secret(roleConfig.password || cluster.password || decodeURIComponent(url.password)),
    tls: tlsOf(roleConfig),
    connectTimeoutMs: redis.connect_timeout,
    commandTimeoutMs: redis.write_timeout,
    maxRetries: redis.max_retries,
    connectionName: `postern-${service}-${role}${isBlocking ? "-worker" : ""}`,
    isBlocking,
  };
}

/** The client of one role (ADR 0004). A lost connection is logged once, not at each retry. */
export function redisFromConfig(config: Config, role: RedisRole, parts: RedisParts): RedisClient {
  const { logger, tracer } = parts;
  let hasWarned = false;
  const client = createRedisClient(redisSettings(config, role, parts), (err) => {
    if (!hasWarned) logger.warn({ role, err }, "redis connection failed");
    hasWarned = true;
  });
  if (tracer !== undefined) traceCommands(client, tracer);
  client.on("ready", () => {
    logger.info({ role }, "redis connected");
    hasWarned = false;
  });
  return client;
}
