import { engineAlive, engineHeartbeatMs } from "@postern/shared/contracts";
import type { Bus } from "@postern/shared/platform/bus";

export interface HeartbeatDeps {
  readonly bus: Pick<Bus, "publish" | "isConnected">;
  readonly engineId: string;
  readonly inFlight: () => number;
}

/**
 * Sends heartbeats to all gateways, five times a second, from the event loop that answers them, so an engine that hangs
 * falls silent. A draining engine continues, so that gateways wait for its last answers. The returned function stops
 * the heartbeats.
 */
export function startHeartbeat({ bus, engineId, inFlight }: HeartbeatDeps): () => void {
  const heartbeat = (): void => {
    // Without NATS no heartbeat can arrive, and a lost one is not worth counting.
    if (bus.isConnected()) bus.publish(engineAlive, { instance: engineId, inFlight: inFlight() });
  };
  heartbeat();
  const timer = setInterval(heartbeat, engineHeartbeatMs);
  timer.unref();
  return () => clearInterval(timer);
}
