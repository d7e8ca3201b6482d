import { messages } from "../messages.ts";
import type { Config } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

const key = "runtime.servers.http.haproxy_v2_listeners";

/** `runtime.servers.http.haproxy_v2_listeners`: a listener that does not exist would leave another one unprotected. */
export function validateProxyProtocol({ runtime }: Config, { problem, warning }: Judgement): void {
  const { http } = runtime.servers;
  const addresses: Readonly<Record<string, readonly [key: string, addresses: readonly string[]]>> = {
    backchannel: ["address", http.address],
    frontend: ["frontend_address", http.frontend_address],
    console: ["console_address", http.console_address],
    client_certificates: ["client_certificates.address", http.client_certificates.address],
  };
  http.haproxy_v2_listeners.forEach((name, index) => {
    const listener = Object.hasOwn(addresses, name) ? addresses[name] : undefined;
    if (listener === undefined)
      problem(`${key}[${index}]`, messages.mustBe(`one of ${Object.keys(addresses).join(", ")}`));
    else if (listener[1].length === 0)
      problem(`runtime.servers.http.${listener[0]}`, messages.needsWhen(`${key} contains ${name}`));
  });
  if (http.haproxy_v2_listeners.length > 0 && !http.haproxy_v2) warning(key, messages.needsProxyProtocol);
}
