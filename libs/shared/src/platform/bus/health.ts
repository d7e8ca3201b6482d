import type { HealthCheck } from "../lifecycle/health.ts";
import type { Bus } from "./bus.ts";

/** The bus is healthy while the process is connected to NATS. */
export function busHealth(bus: Pick<Bus, "isConnected">, required: boolean): HealthCheck {
  return {
    name: "bus",
    required,
    check: () => {
      if (!bus.isConnected()) throw new Error("not connected to NATS");
    },
  };
}
