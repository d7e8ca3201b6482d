import type { Logger } from "@postern/shared/platform/logging";
import type { Clock } from "@postern/shared/platform/time";
import type { AccountDomains } from "../domains/account-domains.ts";
import type { SamlKeys } from "./keys/saml-keys.ts";
import type { Providers } from "./providers.ts";
import type { SamlMetrics } from "./saml-metrics.ts";
import type { SamlSettings } from "./saml-settings.ts";
import type { Participants } from "./state/participants-redis.ts";
import type { ReplayGuard } from "./state/saml-redis.ts";

/** What the parts of the SAML identity provider share. */
export interface SamlCore {
  readonly settings: () => SamlSettings;
  readonly providers: () => Providers;
  readonly keys: () => Promise<SamlKeys>;
  readonly replay: ReplayGuard;
  readonly participants: Participants;
  readonly domains: AccountDomains;
  readonly metrics: SamlMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
  /** The clock that all replicas share, for stored times. */
  readonly sharedClock: Clock;
}
