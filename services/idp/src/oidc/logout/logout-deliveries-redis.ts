import { oidcDeliveriesDueKey, oidcDeliveryKey } from "@postern/shared/platform/redis";
import { type Claimed, type DeliveryTimes, deliveryLeaseMs } from "../../logout-delivery/delivery-queue.ts";
import { createDeliveryQueue, type DeliveryQueue } from "../../logout-delivery/delivery-queue-redis.ts";
import type { OidcParts } from "../state/context.ts";
import { isRecord, textOf } from "../storage/models.ts";

/** What a client is notified of: its user, or one session of the user, is signed out (Back-Channel Logout 1.0 §2.4). */
export interface LogoutDelivery {
  readonly clientId: string;
  readonly sub: string;
  /** The `sid` of the client's ID tokens; absent for every session of the user. */
  readonly sid?: string;
}

export type ClaimedDelivery = Claimed<LogoutDelivery>;
export type LogoutDeliveries = DeliveryQueue<LogoutDelivery>;

/** Time after which an undelivered notification is dropped, in seconds. */
const deliveryLifeSeconds = 86_400;

function deliveryOf(value: unknown): LogoutDelivery | undefined {
  if (!isRecord(value)) return undefined;
  const [clientId, sub, sid] = [textOf(value["clientId"]), textOf(value["sub"]), textOf(value["sid"])];
  if (clientId === undefined || sub === undefined) return undefined;
  return { clientId, sub, ...(sid !== undefined && { sid }) };
}

export function createLogoutDeliveries(
  { redis, keyPrefix, keys }: OidcParts,
  times: () => DeliveryTimes,
): LogoutDeliveries {
  return createDeliveryQueue({
    redis,
    keys,
    dueKey: oidcDeliveriesDueKey.build(keyPrefix),
    keyOf: (id) => oidcDeliveryKey.build(keyPrefix, id),
    lifeSeconds: deliveryLifeSeconds,
    leaseMs: () => deliveryLeaseMs(times()),
    parse: deliveryOf,
  });
}
