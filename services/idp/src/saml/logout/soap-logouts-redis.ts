import { samlDeliveriesDueKey, samlDeliveryKey } from "@postern/shared/platform/redis";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { deliveryLeaseMs } from "../../logout-delivery/delivery-queue.ts";
import { createDeliveryQueue } from "../../logout-delivery/delivery-queue-redis.ts";
import type { Stored } from "../../redis/stored.ts";
import { ParticipantSchema } from "../state/participants-redis.ts";
import type { SamlRedisDeps } from "../state/saml-redis.ts";
import { soapTimes } from "./back-channel.ts";

const Delivery = Type.Object({
  ...ParticipantSchema.properties,
  /** End of the session in milliseconds since the epoch. */
  endedMs: Type.Number(),
  /** The logout transaction that waits for it, if any. */
  journey: Type.Optional(Type.Object({ id: Type.String(), index: Type.Integer() })),
});

/** A logout of which a service provider must be notified over SOAP. */
export type SoapLogout = Stored<typeof Delivery>;

export function createSoapLogouts({ redis, keyPrefix, keys }: SamlRedisDeps) {
  return createDeliveryQueue<SoapLogout>({
    redis,
    keys,
    dueKey: samlDeliveriesDueKey.build(keyPrefix),
    keyOf: (id) => samlDeliveryKey.build(keyPrefix, id),
    lifeSeconds: samlDeliveryKey.ttlSeconds,
    leaseMs: () => deliveryLeaseMs(soapTimes),
    parse: (value) => (Value.Check(Delivery, value) ? value : undefined),
  });
}
