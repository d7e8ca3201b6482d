import type { Removal } from "../../tools/removals/removal.ts";
import { backendRemovals } from "./backends.ts";
import { engineRemovals } from "./engines.ts";
import { gatewayRemovals } from "./gateway.ts";
import { redisRemovals } from "./redis.ts";
import { siteRemovals } from "./site.ts";

export const removals: readonly Removal[] = [
  ...engineRemovals,
  ...gatewayRemovals,
  ...redisRemovals,
  ...backendRemovals,
  ...siteRemovals,
];
