import { type Health, openPrivateListener, type PrivateListener } from "../platform/lifecycle/index.ts";
import type { Metrics } from "../platform/metrics/registry.ts";
import { parseHostPort } from "../platform/net/host-port.ts";

const closed: PrivateListener = { close: async () => undefined };

/** The private listener of a service; undefined if its address is empty. */
export async function privateListenerAt(
  address: string,
  deps: { readonly health: Health; readonly metrics: Metrics; readonly metricsPrefix: string },
): Promise<PrivateListener> {
  const hostPort = parseHostPort(address);
  return hostPort === undefined
    ? closed
    : openPrivateListener({ address: hostPort, identifier: deps.metricsPrefix, ...deps });
}
