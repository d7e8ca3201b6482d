import { engineAlive, engineHeartbeatMs } from "@postern/shared/contracts";
import type { Bus } from "@postern/shared/platform/bus";

const tickMs = engineHeartbeatMs / 8;

/**
 * Sends heartbeats to all gateways, five times a second, from the event loop that answers them, so an engine that hangs
 * falls silent. A draining engine continues, so that gateways wait for its last answers.
 */
export function startHeartbeat(
  bus: Pick<Bus, "publish" | "canPublish" | "connections">,
  engineId: string,
  inFlight: () => number,
) {
  let draining = false;
  let connection = bus.connections();
  let sentAt = 0;
  const heartbeat = (): void => {
    // A lost heartbeat is not worth counting.
    if (!bus.canPublish()) return;
    connection = bus.connections();
    sentAt = performance.now();
    bus.publish(engineAlive, {
      instance: engineId,
      inFlight: inFlight(),
      connection,
      ...(draining && { draining }),
    });
  };
  heartbeat();
  const tick = (): void => {
    // Due by the clock, because the first tick after a freeze is late and must send a heartbeat.
    const isDue = performance.now() - sentAt >= engineHeartbeatMs - tickMs;
    // Requests wait for an engine that has lost its connection, so it reports immediately that it is back.
    if (isDue || bus.connections() !== connection) heartbeat();
  };
  const timer = setInterval(tick, tickMs);
  timer.unref();
  return {
    /** Announces immediately that the engine takes no new requests. */
    drain: (): void => {
      draining = true;
      heartbeat();
    },
    stop: (): void => clearInterval(timer),
  };
}
