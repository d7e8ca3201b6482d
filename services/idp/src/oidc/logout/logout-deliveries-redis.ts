import type { KeyRing } from "@postern/shared/platform/crypto";
import { oidcDeliveriesDueKey, oidcDeliveryKey, type RedisClient } from "@postern/shared/platform/redis";
import { createDeliveryQueue } from "../../logout-delivery/delivery-queue-redis.ts";
import { isRecord, textOf } from "../storage/json.ts";
import { deliveryLifeSeconds, type LogoutDeliveries, type LogoutDelivery } from "./logout-deliveries.ts";

function deliveryOf(value: unknown): LogoutDelivery | undefined {
  if (!isRecord(value)) return undefined;
  const [clientId, sub, sid] = [textOf(value["clientId"]), textOf(value["sub"]), textOf(value["sid"])];
  if (clientId === undefined || sub === undefined) return undefined;
  return { clientId, sub, ...(sid !== undefined && { sid }) };
}

export function createLogoutDeliveries(deps: {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly keys: KeyRing;
  readonly leaseMs: () => number;
}): LogoutDeliveries {
  const { redis, keyPrefix, keys, leaseMs } = deps;
  return createDeliveryQueue({
    redis,
    keys,
    dueKey: oidcDeliveriesDueKey.build(keyPrefix),
    keyOf: (id) => oidcDeliveryKey.build(keyPrefix, id),
    lifeSeconds: deliveryLifeSeconds,
    leaseMs,
    parse: deliveryOf,
  });
}
