import { samlDeliveriesDueKey, samlDeliveryKey } from "@postern/shared/platform/redis";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { deliveryLeaseMs } from "../../logout-delivery/delivery-queue.ts";
import { createDeliveryQueue } from "../../logout-delivery/delivery-queue-redis.ts";
import type { SamlRedisDeps } from "../state/saml-redis.ts";
import { type SoapLogouts, soapTimes } from "./soap-logouts.ts";

const Delivery = Type.Object({
  entityId: Type.String(),
  nameId: Type.Object({ format: Type.String(), value: Type.String() }),
  sessionIndex: Type.String(),
  endedMs: Type.Number(),
  journey: Type.Optional(Type.Object({ id: Type.String(), index: Type.Integer() })),
});

export function createSoapLogouts({ redis, keyPrefix, keys }: SamlRedisDeps): SoapLogouts {
  return createDeliveryQueue({
    redis,
    keys,
    dueKey: samlDeliveriesDueKey.build(keyPrefix),
    keyOf: (id) => samlDeliveryKey.build(keyPrefix, id),
    lifeSeconds: samlDeliveryKey.ttlSeconds,
    leaseMs: () => deliveryLeaseMs(soapTimes),
    parse: (value) => (Value.Check(Delivery, value) ? value : undefined),
  });
}
