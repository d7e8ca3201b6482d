import { freePort, type NatsServer, spawnNats } from "@postern/testing";
import { type StallableProxy, startStallableProxy } from "../../support/stallable-proxy.ts";
import { type Host, startHost } from "./host.ts";

export interface NatsNode {
  readonly server: NatsServer;
  /** The address for clients; it leads through the network if there is one. */
  readonly url: string;
  /** The network between this node and its clients. */
  readonly network: StallableProxy | undefined;
  /** The host that it has for itself, if any. */
  readonly host: Host | undefined;
  /** Names of the services that are connected to it. */
  readonly clients: () => Promise<readonly string[]>;
}

export interface NatsCluster extends AsyncDisposable {
  readonly nodes: readonly [NatsNode, NatsNode, NatsNode];
}

async function clientsAt(monitoring: string): Promise<readonly string[]> {
  const response = await fetch(`http://${monitoring}/connz`);
  const connections: readonly { readonly name?: string }[] = Object(await response.json()).connections;
  return connections.flatMap(({ name }) => name ?? []);
}

interface Node {
  /** The address and port for the routes of the other nodes. */
  readonly own: string;
  readonly others: readonly string[];
  readonly host: Host | undefined;
  readonly withNetwork: boolean;
}

async function startNode(owned: AsyncDisposableStack, { own, others, host, withNetwork }: Node): Promise<NatsNode> {
  const [port, monitoring] = [await freePort(), `${host?.address ?? "127.0.0.1"}:${await freePort()}`];
  const network = withNetwork ? owned.use(await startStallableProxy(port)) : undefined;
  const routes = others.map((route) => `"nats://${route}"`).join(", ");
  const config = [
    `http: "${monitoring}"`,
    ...(network === undefined ? [] : [`client_advertise: "127.0.0.1:${network.port}"`]),
    'ping_interval: "2s"',
    "ping_max: 2",
    `cluster { name: c, listen: "${own}", routes: [${routes}] }`,
  ].join("\n");
  const server = owned.use(await spawnNats({ port, config, place: host }));
  const url = network === undefined ? server.url : `nats://127.0.0.1:${network.port}`;
  return { server, url, network, host, clients: () => clientsAt(monitoring) };
}

export interface NatsClusterOptions {
  /** Puts a proxy before each node, which can stall. */
  readonly withNetworks?: boolean;
  /** Gives the first node a host of its own. */
  readonly withHost?: boolean;
}

/** Three nats-servers, each with routes to the others. */
export async function spawnNatsCluster({
  withNetworks: withNetwork = false,
  withHost = false,
}: NatsClusterOptions = {}): Promise<NatsCluster> {
  await using started = new AsyncDisposableStack();
  const host = withHost ? started.use(await startHost()) : undefined;
  const here = host?.here ?? "127.0.0.1";
  const a = `${host?.address ?? here}:${await freePort()}`;
  const [b, c] = [`${here}:${await freePort()}`, `${here}:${await freePort()}`];
  const start = (own: string, ...others: readonly string[]): Promise<NatsNode> =>
    startNode(started, { own, others, host: own === a ? host : undefined, withNetwork });
  const nodes = [await start(a, b, c), await start(b, a, c), await start(c, a, b)] as const;
  const owned = started.move();
  return { nodes, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
