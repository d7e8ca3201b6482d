import { type Health, openPrivateListener, type PrivateListener } from "../lifecycle/index.ts";
import type { Metrics } from "../metrics/registry.ts";
import { parseHostPort } from "../net/host-port.ts";

const closed: PrivateListener = { close: async () => undefined };

/** The private listener of a service, or nothing where its address is empty. */
export async function privateListenerAt(
  address: string,
  deps: { readonly health: Health; readonly metrics: Metrics },
): Promise<PrivateListener> {
  const hostPort = parseHostPort(address);
  return hostPort === undefined ? closed : openPrivateListener({ address: hostPort, ...deps });
}
