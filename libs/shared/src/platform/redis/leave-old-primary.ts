import { Redis, type RedisOptions } from "ioredis";
import type { HostPort } from "../net/host-port.ts";

export interface SentinelWatch {
  readonly master: string;
  readonly sentinels: readonly HostPort[];
  /** User name, password and time limits for the sentinels. */
  readonly options: Pick<RedisOptions, "username" | "password" | "commandTimeout" | "connectTimeout" | "keepAlive">;
  readonly reconnectMs: number;
}

const channel = "+switch-master";
/** Not `connecting`: a client that is disconnected then never connects again. It checks the role of the server when it is connected. */
const connected: ReadonlySet<Redis["status"]> = new Set(["connect", "ready"]);

/** The new primary of an announcement: name, old host, old port, new host, new port. Undefined for another primary's. */
export function newPrimaryOf(announcement: string, master: string): HostPort | undefined {
  const [name, , , host = "", port = ""] = announcement.split(" ");
  return name === master && host !== "" && /^\d{1,5}$/.test(port) ? { host, port: Number(port) } : undefined;
}

function isConnectedTo({ stream }: Redis, { host, port }: HostPort): boolean {
  return "remotePort" in stream && stream.remotePort === port && stream.remoteAddress === host;
}

/**
 * Makes a client leave the old primary when a sentinel announces a new one, even if the old one still answers. Unlike the detector of ioredis,
 * it leaves a client alone that has found the new primary before the announcement.
 */
export function leaveOldPrimary(client: Redis, { master, sentinels, options, reconnectMs }: SentinelWatch): void {
  const hear = (announcement: string): void => {
    const primary = newPrimaryOf(announcement, master);
    if (primary === undefined || !connected.has(client.status) || isConnectedTo(client, primary)) return;
    client.disconnect(true);
  };
  const subscribers = sentinels.map(({ host, port }) => {
    const subscriber = new Redis({
      ...options,
      host,
      port,
      protocol: 2,
      enableReadyCheck: false,
      autoResubscribe: false,
      retryStrategy: () => reconnectMs,
    });
    // The client itself reports sentinels that cannot be reached.
    subscriber.on("error", () => undefined);
    subscriber.on("message", (_channel: string, announcement: string) => hear(announcement));
    subscriber.on("ready", () => void subscriber.subscribe(channel).catch(() => subscriber.disconnect(true)));
    return subscriber;
  });
  client.once("end", () => {
    for (const subscriber of subscribers) subscriber.disconnect();
  });
}
