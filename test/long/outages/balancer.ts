import { readFile } from "node:fs/promises";
import { type ChildServer, freePort, spawnHaproxy } from "@postern/testing";
import type { Replica } from "../../support/stack.ts";

const shipped = new URL("../../../deploy/haproxy/haproxy.cfg", import.meta.url);

export interface Balancer extends ChildServer {
  readonly url: string;
}

/** The private listeners of the tests have ports of their own. */
function replaceReplicas(config: string, replicas: readonly Replica[]): string {
  return [11, 12].reduce((text, host, index) => {
    const { url, process } = replicas[index] ?? {};
    return text.replaceAll(`192.0.2.${host}:9080`, `${new URL(url ?? "").host} port ${process?.privatePort}`);
  }, config);
}

/** HAProxy with the shipped configuration in front of the back channels of two gateways; without the pages, which need a certificate. */
export async function startBalancer(gateways: readonly [Replica, Replica]): Promise<Balancer> {
  const port = await freePort();
  const pattern = await readFile(shipped, "utf8");
  const config = replaceReplicas(pattern, gateways)
    .replace(/^frontend pages$[\s\S]*?(?=^frontend backchannel$)/m, "")
    .replace("bind :9080", `bind 127.0.0.1:${port}`);
  return { ...(await spawnHaproxy({ config, port })), url: `http://127.0.0.1:${port}` };
}

/** HAProxy in front of two replicas of a service behind the gateways, as docs/operate/outages.md shows it. */
export async function startServiceBalancer(port: number, replicas: readonly Replica[]): Promise<ChildServer> {
  const page = await readFile(new URL("../../../docs/operate/outages.md", import.meta.url), "utf8");
  const block = /```haproxy\n([\s\S]*?)```/.exec(page)?.[1];
  if (block === undefined) throw new Error("docs/operate/outages.md has no HAProxy configuration");
  const config = replaceReplicas(block, replicas).replace("bind 127.0.0.1:9090", `bind 127.0.0.1:${port}`);
  return spawnHaproxy({ config, port });
}
