import type { DeliveryLoop } from "../../logout-delivery/delivery-loop.ts";
import { deliveryLeaseMs } from "../../logout-delivery/delivery-queue.ts";
import { createEndSessions, type EndSessions } from "../../oidc/logout/end-sessions.ts";
import { createLogoutDeliveries } from "../../oidc/logout/logout-deliveries-redis.ts";
import { createLogoutDelivery } from "../../oidc/logout/logout-delivery.ts";
import type { Generations } from "../../oidc/provider/generation.ts";
import { deliveryTimes } from "../../oidc/settings/oidc-settings.ts";
import type { OidcParts } from "./parts.ts";
import type { StorageFeature } from "./storage.ts";
import type { TokensFeature } from "./tokens.ts";

export interface LogoutFeature {
  readonly endSessions: EndSessions;
  /** Delivers logout tokens; started together with the key schedule. */
  readonly delivery: DeliveryLoop;
}

/** The end of sessions, and back-channel logout. */
export function createLogoutFeature(
  parts: OidcParts,
  { store, records }: StorageFeature & TokensFeature,
  generations: Generations,
): LogoutFeature {
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
