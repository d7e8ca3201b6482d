import type { Removal } from "../../tools/removals/removal.ts";
import { engineRemovals } from "./engines.ts";
import { gatewayRemovals } from "./gateway.ts";
import { redisRemovals } from "./redis.ts";

export const removals: readonly Removal[] = [...engineRemovals, ...gatewayRemovals, ...redisRemovals];
