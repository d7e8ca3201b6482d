import type { Claimed } from "../../logout-delivery/delivery-queue.ts";
import type { DeliveryQueue } from "../../logout-delivery/delivery-queue-redis.ts";

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
export const deliveryLifeSeconds = 86_400;
