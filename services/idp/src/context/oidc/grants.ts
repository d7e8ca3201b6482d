import { steadyClock } from "@postern/shared/platform/time";
import { type Consents, createConsents } from "../../oidc/grants/consents-redis.ts";
import { createKeepGrant, type KeepGrant } from "../../oidc/grants/grant-life.ts";
import { createOutcomes, type Outcomes } from "../../oidc/provider/outcomes-redis.ts";
import type { AccountsFeature } from "./accounts.ts";
import type { OidcParts } from "./parts.ts";
import type { StorageFeature } from "./storage.ts";

export interface GrantsFeature {
  readonly consents: Consents;
  readonly keepGrant: KeepGrant;
  readonly outcomes: Outcomes;
}

/** Consent, the lifetime of grants, and what the end of a sign-in or consent returned. */
export function createGrantsFeature(
  { redis, sharedClock, keyPrefix, keys }: OidcParts,
  { store, times, digestOf, accounts }: StorageFeature & AccountsFeature,
): GrantsFeature {
  return {
    consents: createConsents({ redis, keyPrefix, keys }),
    keepGrant: createKeepGrant({ store, accounts, digestOf, clock: sharedClock, times }),
    outcomes: createOutcomes(redis, keyPrefix, keys, steadyClock),
  };
}
