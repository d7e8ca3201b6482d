import { engineAlive, engineHeartbeatMs } from "@postern/shared/contracts";
import type { Bus } from "@postern/shared/platform/bus";

export interface HeartbeatDeps {
  readonly bus: Pick<Bus, "publish" | "isConnected" | "connections">;
  readonly engineId: string;
  readonly inFlight: () => number;
}

export interface EngineHeartbeat {
  /** Announces immediately that the engine takes no new requests. */
  readonly drain: () => void;
  readonly stop: () => void;
}

/**
 * Sends heartbeats to all gateways, five times a second, from the event loop that answers them, so an engine that hangs
 * falls silent. A draining engine continues, so that gateways wait for its last answers.
 */
export function startHeartbeat({ bus, engineId, inFlight }: HeartbeatDeps): EngineHeartbeat {
  let draining = false;
  const heartbeat = (): void => {
    // Without NATS no heartbeat can arrive, and a lost one is not worth counting.
    if (!bus.isConnected()) return;
    bus.publish(engineAlive, {
      instance: engineId,
      inFlight: inFlight(),
      addressed: true,
      connection: bus.connections(),
      ...(draining && { draining }),
    });
  };
  heartbeat();
  const timer = setInterval(heartbeat, engineHeartbeatMs);
  timer.unref();
  return {
    drain: () => {
      draining = true;
      heartbeat();
    },
    stop: () => clearInterval(timer),
  };
}
