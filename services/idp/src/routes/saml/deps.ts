import type { Audit } from "@postern/shared/audit";
import type { Logger } from "@postern/shared/logging";
import type { Clock } from "@postern/shared/time";
import type { FlowStarts } from "../../flow/flow-starter.ts";
import type { Pages } from "../../pages/pages.ts";
import type { SamlKeys } from "../../saml/keys/saml-keys.ts";
import type { EndJourney } from "../../saml/logout/end-journey.ts";
import type { FrontChannel } from "../../saml/logout/front-channel.ts";
import type { Logout } from "../../saml/logout/logout.ts";
import type { Providers } from "../../saml/providers.ts";
import type { SamlMetrics } from "../../saml/saml-metrics.ts";
import type { SamlSettings } from "../../saml/saml-settings.ts";
import type { Sso } from "../../saml/sso/sso.ts";
import type { SessionStore } from "../../sessions/session-store.ts";

/** What the SAML routes need. */
export interface SamlRoutesDeps {
  readonly settings: () => SamlSettings;
  readonly providers: () => Providers;
  /** Resolves when the metadata of a service provider are known or were looked for, within seconds. */
  readonly lookedFor: (entityId: string) => Promise<void>;
  readonly keys: () => Promise<SamlKeys>;
  readonly sso: Sso;
  readonly logout: Logout;
  readonly frontChannel: FrontChannel;
  readonly endJourney: EndJourney;
  readonly metrics: SamlMetrics;
  readonly logger: Logger;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly pages: Pages;
  readonly starts: Pick<FlowStarts, "startSaml">;
  readonly sessions: Pick<SessionStore, "findBySid">;
}
