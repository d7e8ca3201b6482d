import { createFindAccount } from "../../oidc/accounts/find-account.ts";
import { createDeviceCodes, type DeviceCodes } from "../../oidc/device/device.ts";
import { createDeviceLimits, type DeviceLimits } from "../../oidc/device/device-limits-redis.ts";
import type { Generations } from "../../oidc/provider/generation.ts";
import { clientResourceOf } from "../../oidc/tokens/access-tokens.ts";
import type { AccountsFeature } from "./accounts.ts";
import type { OidcParts } from "./parts.ts";
import type { StorageFeature } from "./storage.ts";
import type { TokensFeature } from "./tokens.ts";

/** Limits how often devices poll and users guess codes. */
export function deviceLimitsFor({ redis, keyPrefix, settings }: OidcParts): DeviceLimits {
  return createDeviceLimits({ redis, keyPrefix, intervalSeconds: () => settings().oidc.device_flow.polling_interval });
}

/** Device codes as the user's pages see them. */
export function createDevices(
  { sessions, initial }: OidcParts,
  { store, times, accounts, records }: StorageFeature & AccountsFeature & TokensFeature,
  generations: Generations,
): DeviceCodes {
  return createDeviceCodes({
    current: () => generations.current(),
    store,
    times,
    findAccount: createFindAccount(accounts, sessions),
    sessions,
    records,
    clientResource: (clientId) => clientResourceOf(initial.identifier, clientId),
  });
}
