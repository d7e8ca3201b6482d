import type { Logger } from "@postern/shared/platform/logging";
import { systemClock } from "@postern/shared/platform/time";
import type { GatewayMetrics } from "../metrics.ts";
import {
  createProxiedConnections,
  type ProxiedConnections,
  type RejectionReason,
} from "../proxy-protocol/proxied-connections.ts";
import { createQuietLog } from "../quiet-log.ts";
import type { GatewaySettings, LiveGatewaySettings } from "../settings.ts";

/** A proxy sends the header immediately; a lost packet takes a few seconds to arrive. */
const maxHeaderWaitMs = 5000;
const quietMs = 10_000;

const message = {
  untrusted: "connection from a peer that is not a trusted proxy was closed",
  malformed: "connection without a valid PROXY protocol header was closed",
  timeout: "connection whose PROXY protocol header did not arrive in time was closed",
} as const satisfies Record<RejectionReason, string>;

interface Parts {
  readonly settings: GatewaySettings;
  readonly live: { readonly current: LiveGatewaySettings };
  readonly logger: Logger;
  readonly metrics: GatewayMetrics;
}

/** Undefined if no listener requires PROXY protocol headers. */
export function proxiedConnections({ settings, live, logger, metrics }: Parts): ProxiedConnections | undefined {
  if (settings.proxyProtocol.size === 0) return undefined;
  const unloggedOf = createQuietLog(systemClock, quietMs);
  return createProxiedConnections({
    trustedProxies: () => live.current.trustedProxies,
    timeoutMs: Math.min(maxHeaderWaitMs, settings.requestTimeoutMs),
    rejected: (reason, peer) => {
      metrics.connectionRejected(reason);
      const unlogged = unloggedOf(reason);
      if (unlogged === undefined) return;
      logger.warn({ peer, ...(unlogged > 0 && { unlogged }) }, message[reason]);
    },
  });
}
