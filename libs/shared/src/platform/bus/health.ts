import type { Bus } from "./connect.ts";

const engine = "auth-engine";

/**
 * For `createHealth`: the bus is healthy while the process is connected to NATS. A process with an engine of its own is ready without NATS.
 */
export function busHealth(bus: Pick<Bus, "isConnected" | "hasLocal">, required: boolean) {
  return {
    name: "bus",
    required: required && !bus.hasLocal(engine),
    check: (): void => {
      if (!bus.isConnected()) throw new Error("not connected to NATS");
    },
  };
}
