import type { Audit } from "@postern/shared/domain/audit";
import type { Logger } from "@postern/shared/platform/logging";
import type { Clock } from "@postern/shared/platform/time";
import type { FlowStarts } from "../../flow/flow-starter.ts";
import type { Pages } from "../../pages/pages.ts";
import type { SamlKeys } from "../../saml/keys/saml-keys.ts";
import type { EndLogoutTransaction } from "../../saml/logout/end-logout-transaction.ts";
import type { FrontChannel } from "../../saml/logout/front-channel.ts";
import type { Logout } from "../../saml/logout/logout.ts";
import type { WaitingLogouts } from "../../saml/logout/waiting-logouts-redis.ts";
import type { Providers } from "../../saml/providers.ts";
import type { SamlMetrics } from "../../saml/saml-metrics.ts";
import type { SamlSettings } from "../../saml/saml-settings.ts";
import type { Sso } from "../../saml/sso/sso.ts";
import type { SessionStore } from "../../sessions/session-store-redis.ts";

/** What the SAML routes need. */
export interface SamlRoutesDeps {
  readonly settings: () => SamlSettings;
  readonly providers: () => Providers;
  /** Resolves within seconds, when the metadata of a service provider is known or was requested. */
  readonly lookedFor: (entityId: string) => Promise<void>;
  readonly keys: () => Promise<SamlKeys>;
  readonly sso: Sso;
  readonly logout: Logout;
  readonly waitingLogouts: WaitingLogouts;
  readonly frontChannel: FrontChannel;
  readonly endLogoutTransaction: EndLogoutTransaction;
  readonly metrics: SamlMetrics;
  readonly logger: Logger;
  readonly audit: Audit;
  readonly clock: Clock;
  /** The clock that all replicas share, for stored times. */
  readonly sharedClock: Clock;
  readonly pages: Pages;
  readonly starts: Pick<FlowStarts, "startSaml">;
  readonly sessions: Pick<SessionStore, "findBySid">;
}
