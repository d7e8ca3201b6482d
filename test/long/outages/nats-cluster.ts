import { freePort, type NatsServer, spawnNats } from "@postern/shared/testing";
import { type StallableProxy, startStallableProxy } from "../../support/stallable-proxy.ts";

export interface NatsNode {
  readonly server: NatsServer;
  /** For clients; through the network if there is one. */
  readonly url: string;
  /** The network between this node and its clients. */
  readonly network: StallableProxy | undefined;
  /** Names of the services that are connected to it. */
  readonly clients: () => Promise<readonly string[]>;
}

export interface NatsCluster extends AsyncDisposable {
  readonly nodes: readonly [NatsNode, NatsNode, NatsNode];
}

async function clientsAt(monitoring: number): Promise<readonly string[]> {
  const response = await fetch(`http://127.0.0.1:${monitoring}/connz`);
  const connections: readonly { readonly name?: string }[] = Object(await response.json()).connections;
  return connections.flatMap(({ name }) => name ?? []);
}

interface Routes {
  readonly own: number;
  readonly others: readonly number[];
}

async function startNode(
  owned: AsyncDisposableStack,
  { own, others }: Routes,
  withNetworks: boolean,
): Promise<NatsNode> {
  const [port, monitoring] = [await freePort(), await freePort()];
  const network = withNetworks ? owned.use(await startStallableProxy(port)) : undefined;
  const routes = others.map((route) => `"nats://127.0.0.1:${route}"`).join(", ");
  const config = [
    `http: "127.0.0.1:${monitoring}"`,
    ...(network === undefined ? [] : [`client_advertise: "127.0.0.1:${network.port}"`]),
    'ping_interval: "2s"',
    "ping_max: 2",
    `cluster { name: c, listen: "127.0.0.1:${own}", routes: [${routes}] }`,
  ].join("\n");
  const server = owned.use(await spawnNats({ port, config }));
  const url = network === undefined ? server.url : `nats://127.0.0.1:${network.port}`;
  return { server, url, network, clients: () => clientsAt(monitoring) };
}

/** Three nats-servers on loopback, each with routes to the others; `withNetworks` puts a proxy before each. */
export async function spawnNatsCluster({ withNetworks = false } = {}): Promise<NatsCluster> {
  await using started = new AsyncDisposableStack();
  const [a, b, c] = [await freePort(), await freePort(), await freePort()];
  const start = (own: number, others: readonly number[]): Promise<NatsNode> =>
    startNode(started, { own, others }, withNetworks);
  const nodes = [await start(a, [b, c]), await start(b, [a, c]), await start(c, [a, b])] as const;
  const owned = started.move();
  return { nodes, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
