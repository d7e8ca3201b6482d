import { once } from "node:events";
import type { Socket } from "node:net";
import { type Config, poolsOf } from "@postern/shared/platform/config";
import { parseHostPort } from "@postern/shared/platform/net";
import { requestStartTls } from "../../../services/auth-engine/src/backends/ldap/open-socket.ts";
import type { TlsServer } from "./certificate-dates.ts";

/** A server with TLS, under its key. */
export interface NamedServer {
  readonly key: string;
  readonly server: TlsServer;
}

/** NATS greets with a line before the handshake. */
async function readGreeting(socket: Socket): Promise<void> {
  await once(socket, "data");
}

function serverAt(url: string, defaultPort: number): TlsServer | undefined {
  const parsed = URL.parse(url.includes("://") ? url : `tcp://${url}`);
  if (parsed === null || parsed.hostname === "") return undefined;
  const host = parsed.hostname.replaceAll(/[[\]]/gu, "");
  return { host, port: parsed.port === "" ? defaultPort : Number(parsed.port) };
}

function redisServers({ storage }: Config): readonly NamedServer[] {
  return (["state", "queue", "cache"] as const).flatMap((role) => {
    const { url, tls, sentinels, cluster } = storage.redis.roles[role];
    if (!tls.enabled && !url.startsWith("rediss://")) return [];
    const addresses = cluster.addresses.length > 0 ? cluster.addresses : sentinels.master === "" ? [url] : [];
    return addresses.flatMap((address) => {
      const server = parseHostPort(address) ?? serverAt(address, 6379);
      return server === undefined ? [] : [{ key: `storage.redis.roles.${role}`, server }];
    });
  });
}

type NatsConnection = Pick<Config["runtime"]["bus"], "servers" | "tls">;

function natsServersOf(path: string, { servers, tls }: NatsConnection): readonly NamedServer[] {
  return servers.flatMap((url) => {
    if (!tls.enabled && !url.startsWith("tls://")) return [];
    const server = serverAt(url, 4222);
    return server === undefined ? [] : [{ key: `${path}.servers`, server: { ...server, upgrade: readGreeting } }];
  });
}

function natsServers({ runtime: { bus, regions } }: Config): readonly NamedServer[] {
  const ofRegions = regions.name === "" ? [] : natsServersOf("runtime.regions.bus", regions.bus);
  return [...natsServersOf("runtime.bus", bus), ...ofRegions];
}

function ldapServers({ auth }: Config): readonly NamedServer[] {
  const used = auth.backends.order.some((entry) => entry.startsWith("ldap"));
  if (!used) return [];
  return poolsOf("ldap", auth.backends.ldap).flatMap(({ path, pool }) =>
    pool.server_uri.flatMap((uri): readonly NamedServer[] => {
      const key = `${path}.server_uri`;
      const isTls = uri.startsWith("ldaps://");
      const server =
        isTls || (pool.starttls && uri.startsWith("ldap://")) ? serverAt(uri, isTls ? 636 : 389) : undefined;
      if (server === undefined) return [];
      return [{ key, server: isTls ? server : { ...server, upgrade: requestStartTls } }];
    }),
  );
}

/** The servers that Postern reaches by TLS, each once. */
export function tlsServers(config: Config): readonly NamedServer[] {
  const all = [...redisServers(config), ...natsServers(config), ...ldapServers(config)];
  const place = ({ server }: NamedServer): string => `${server.host} ${server.port}`;
  return all.filter((one, index) => all.findIndex((other) => place(other) === place(one)) === index);
}
