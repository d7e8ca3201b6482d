import { busHealth } from "@postern/shared/platform/bus";
import { createHealth, type Health } from "@postern/shared/platform/lifecycle";
import { redisHealth } from "@postern/shared/platform/redis";
import type { LimitsParts } from "../limits/context.ts";

type HealthParts = Pick<LimitsParts, "base" | "settings" | "bus" | "state">;

/** Without Redis the gateway is degraded but serves requests. */
export function createGatewayHealth({ base, settings, bus, state: client }: HealthParts): Health {
  const { service, instance, logger } = base;
  return createHealth({
    checks: [
      busHealth(bus, true),
      redisHealth({ client, role: "state", required: false, keyPrefix: settings.keyPrefix, service, instance }),
    ],
    onFailure: (name, err) => logger.warn({ check: name, err }, "health check failed"),
  });
}
