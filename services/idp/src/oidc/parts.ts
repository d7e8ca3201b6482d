import type { FindAccountNames } from "@postern/shared/domain/flush";
import type { KeyRing } from "@postern/shared/platform/crypto";
import type { Logger } from "@postern/shared/platform/logging";
import type { Metrics } from "@postern/shared/platform/metrics";
import type { RedisClient } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import type { ClientUses } from "../applications/client-uses.ts";
import type { FlowStarter } from "../flow/flow-port.ts";
import type { Pages } from "../pages/pages.ts";
import type { BrowserSessionRecord } from "../sessions/browser-session.ts";
import type { SessionStore } from "../sessions/session-store-redis.ts";
import type { SubjectsOfAccount } from "./accounts/accounts.ts";
import type { OidcAccounts } from "./accounts/accounts-redis.ts";
import type { DeviceLimits } from "./device/device-limits-redis.ts";
import type { Consents } from "./grants/consents-redis.ts";
import type { KeepGrant } from "./grants/grant-life.ts";
import type { OidcMetrics } from "./metrics/oidc-metrics.ts";
import type { Outcomes } from "./provider/outcomes-redis.ts";
import type { RegisteredClients } from "./registration/registered-clients.ts";
import type { Registrations } from "./registration/registrations-redis.ts";
import type { OidcSettings } from "./settings/oidc-settings.ts";
import type { RecordTimes } from "./storage/record-times.ts";
import type { OidcStore } from "./storage/store.ts";
import type { TokenRecords } from "./tokens/token-records.ts";
import type { ReportUnreadable } from "./tokens/unreadable-claims.ts";

/** What the rest of the service provides to OIDC. */
export interface OidcDeps {
  readonly redis: RedisClient;
  /** The clock of Redis, for the times of what replicas share. */
  readonly sharedClock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly metricsPrefix: string;
  /** For errors that only the browser may see. */
  readonly pages: () => Pages | undefined;
  readonly sessions: SessionStore;
  /** Notifies the other protocols after an operator has ended a session. */
  readonly onClosed: (session: BrowserSessionRecord) => Promise<void>;
  /** Notes which clients are used. */
  readonly clientUses: Pick<ClientUses, "note">;
  /** Finds the account behind a name that an operator typed. */
  readonly accountNames: FindAccountNames;
  /** Starts the pages of a sign-in or a consent. */
  readonly starter: FlowStarter;
}

/** What every feature of OIDC is built from. */
export interface OidcParts extends OidcDeps {
  readonly counted: OidcMetrics;
  readonly keyPrefix: string;
  readonly keys: KeyRing;
  /** The settings at startup, for what a reload does not change: issuer and identifier. */
  readonly initial: OidcSettings;
  /** The settings in use; a reload replaces them. */
  readonly settings: () => OidcSettings;
}

/** What OIDC stores in Redis. The provider and the features above it are built from this. */
export interface OidcStores {
  readonly store: OidcStore;
  readonly times: RecordTimes;
  readonly digestOf: (id: string) => string;
  readonly accounts: OidcAccounts;
  readonly subjectsOfAccount: SubjectsOfAccount;
  readonly consents: Consents;
  readonly keepGrant: KeepGrant;
  readonly outcomes: Outcomes;
  readonly records: TokenRecords;
  readonly reportUnreadable: ReportUnreadable;
  readonly deviceLimits: DeviceLimits;
  readonly registrations: Registrations;
  readonly registered: RegisteredClients;
}
