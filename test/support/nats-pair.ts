import { freePort, type NatsServer, spawnNats } from "@postern/testing";
import { type StallableProxy, startStallableProxy } from "./stallable-proxy.ts";

export interface NatsPair {
  readonly whole: NatsServer;
  /** Its routes to the other node go through the proxy. */
  readonly cutOff: NatsServer;
  readonly routes: StallableProxy;
}

function node(listen: number, others: readonly number[]): string {
  const routes = others.map((port) => `"nats://127.0.0.1:${port}"`).join(", ");
  return `cluster { name: c, listen: "127.0.0.1:${listen}", routes: [${routes}] }`;
}

/** Two nodes with NATS's own settings of the pings, with which they take hanging routes for alive for minutes. */
export async function startNatsPair(owned: AsyncDisposableStack): Promise<NatsPair> {
  const routeOfWhole = await freePort();
  const whole = owned.use(await spawnNats({ config: node(routeOfWhole, []) }));
  const routes = owned.use(await startStallableProxy(routeOfWhole));
  const cutOff = owned.use(await spawnNats({ config: node(await freePort(), [routes.port]) }));
  return { whole, cutOff, routes };
}

/** Ways in which the node is cut off from the other one, while its clients stay connected. */
export const routeCuts = {
  hang: ({ routes }: NatsPair): void => routes.stall(),
  "are closed": ({ routes }: NatsPair): PromiseLike<void> => routes[Symbol.asyncDispose](),
};
