import type { Claimed, DeliveryTimes } from "../../logout-delivery/delivery-queue.ts";
import type { DeliveryQueue } from "../../logout-delivery/delivery-queue-redis.ts";
import type { Participant } from "../state/participants-redis.ts";

/** A logout of which a service provider must be notified over SOAP. */
export interface SoapLogout extends Participant {
  /** End of the session in milliseconds since the epoch. */
  readonly endedMs: number;
  /** The logout transaction that waits for it, if any. */
  readonly journey?: { readonly id: string; readonly index: number };
}

export type ClaimedSoapLogout = Claimed<SoapLogout>;
export type SoapLogouts = DeliveryQueue<SoapLogout>;

/** One attempt with its retries ends within twelve seconds (`back-channel.ts`); the lease is longer. */
export const soapTimes: DeliveryTimes = { timeoutMs: 5000, firstDelayMs: 1000, longestDelayMs: 60_000 };

/** How long delivery to a service provider that does not answer is retried. */
export const giveUpAfterMs = 86_400_000;
