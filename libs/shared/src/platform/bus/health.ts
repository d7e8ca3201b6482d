import type { Bus } from "./bus.ts";

/** For `createHealth`: the bus is healthy while the process is connected to NATS. */
export function busHealth(bus: Pick<Bus, "isConnected">, required: boolean) {
  return {
    name: "bus",
    required,
    check: (): void => {
      if (!bus.isConnected()) throw new Error("not connected to NATS");
    },
  };
}
