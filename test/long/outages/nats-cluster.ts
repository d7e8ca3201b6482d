import { freePort, type NatsServer, spawnNats } from "@postern/shared/testing";

export interface NatsCluster extends AsyncDisposable {
  readonly nodes: readonly NatsServer[];
  /** Names of the services that are connected to a node. */
  readonly clientsOf: (node: NatsServer) => Promise<readonly string[]>;
}

interface Node {
  readonly server: NatsServer;
  readonly monitoring: number;
}

async function clientsAt(monitoring: number): Promise<readonly string[]> {
  const response = await fetch(`http://127.0.0.1:${monitoring}/connz`);
  const connections: readonly { readonly name?: string }[] = Object(await response.json()).connections;
  return connections.flatMap(({ name }) => name ?? []);
}

/** Three nats-servers on loopback, each with routes to the others. */
export async function spawnNatsCluster(): Promise<NatsCluster> {
  await using started = new AsyncDisposableStack();
  const routes = await Promise.all([1, 2, 3].map(() => freePort()));
  const nodes: Node[] = [];
  for (const own of routes) {
    const others = routes.filter((route) => route !== own).map((route) => `"nats://127.0.0.1:${route}"`);
    const monitoring = await freePort();
    const config = [
      `http: "127.0.0.1:${monitoring}"`,
      'ping_interval: "2s"',
      "ping_max: 2",
      `cluster { name: c, listen: "127.0.0.1:${own}", routes: [${others.join(", ")}] }`,
    ].join("\n");
    nodes.push({ server: started.use(await spawnNats({ config })), monitoring });
  }
  const owned = started.move();
  return {
    nodes: nodes.map(({ server }) => server),
    clientsOf: (node) => clientsAt(nodes.find(({ server }) => server === node)?.monitoring ?? 0),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
