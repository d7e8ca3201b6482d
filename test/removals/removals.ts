import type { Removal } from "../../tools/removals/removal.ts";
import { backendRemovals } from "./backends.ts";
import { engineRemovals } from "./engines.ts";
import { gatewayRemovals } from "./gateway.ts";
import { loadRemovals } from "./load.ts";
import { natsRemovals } from "./nats.ts";
import { redisRemovals } from "./redis.ts";
import { riskRemovals } from "./risk.ts";
import { serviceRemovals } from "./services.ts";
import { siteRemovals } from "./site.ts";

export const removals: readonly Removal[] = [
  ...engineRemovals,
  ...serviceRemovals,
  ...natsRemovals,
  ...gatewayRemovals,
  ...redisRemovals,
  ...backendRemovals,
  ...riskRemovals,
  ...loadRemovals,
  ...siteRemovals,
];
