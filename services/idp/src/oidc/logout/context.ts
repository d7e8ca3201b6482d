import { deliveryLeaseMs } from "../../logout-delivery/delivery-queue.ts";
import type { OidcParts, OidcStores } from "../parts.ts";
import type { Generations } from "../provider/generation.ts";
import { deliveryTimes } from "../settings/oidc-settings.ts";
import { createEndSessions } from "./end-sessions.ts";
import { createLogoutDeliveries } from "./logout-deliveries-redis.ts";
import { createLogoutDelivery } from "./logout-delivery.ts";

/** The end of sessions, and back-channel logout, whose delivery is started together with the key schedule. */
export function createLogoutFeature(parts: OidcParts, { store, records }: OidcStores, generations: Generations) {
  const { redis, keyPrefix, keys, logger, sessions, settings, counted } = parts;
  const times = () => deliveryTimes(settings());
  const deliveries = createLogoutDeliveries({ redis, keyPrefix, keys, leaseMs: () => deliveryLeaseMs(times()) });
  const delivery = createLogoutDelivery({
    deliveries,
    generations,
    logger,
    count: (result) => counted.logoutDelivery(result),
    times,
  });
  const endSessions = createEndSessions({
    sessions,
    records,
    store,
    deliveries,
    policies: () => generations.current().policies,
    tellsClients: () => settings().oidc.logout.back_channel_supported,
    wake: () => delivery.wake(),
    onClosed: parts.onClosed,
  });
  return { endSessions, delivery };
}
