import type { NatsConnection } from "@nats-io/transport-node";

export type ServerOrder = ReturnType<typeof createServerOrder>;

/** More servers than any cluster has. */
const maxAnnounced = 64;

const hostPort = (server: string): string => server.replace(/^[a-z]+:\/\//, "");

function shuffled(texts: readonly string[]): string[] {
  return texts
    .map((text) => [Math.random(), text] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, text]) => text);
}

/** The servers of the cluster, in the order in which to try them. */
export function createServerOrder(configured: readonly string[] | string | undefined) {
  const own = typeof configured === "string" ? [configured] : [...(configured ?? [])];
  let announced: readonly string[] = [];
  let current: string | undefined;
  const isLast = (server: string): boolean => hostPort(server) === current;
  /** In random order, so that clients spread over the servers; the server used last comes last. */
  const inOrder = (): string[] => {
    const all = [...shuffled(own), ...shuffled(announced)];
    return [...all.filter((server) => !isLast(server)), ...all.filter(isLast)];
  };
  return {
    /** Learns the servers that the cluster has announced, and which one is in use. */
    learn: (connection: Pick<NatsConnection, "getServer" | "getServers">): void => {
      const known = new Set(own.map(hostPort));
      const listed = connection
        .getServers()
        .map(({ hostname, port }) => (hostname.includes(":") ? `[${hostname}]:${port}` : `${hostname}:${port}`));
      current = connection.getServer();
      // A server that has lost its routes announces no other one: what the cluster announced before remains.
      if (!listed.some((server) => !isLast(server) && !known.has(server))) return;
      announced = listed.filter((server) => !known.has(server)).slice(0, maxAnnounced);
    },
    inOrder,
    hasOthers: (): boolean => own.length + announced.length > 1,
  };
}
