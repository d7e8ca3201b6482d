import type { Audit } from "@postern/shared/domain/audit";
import type { FindAccountNames } from "@postern/shared/domain/flush";
import type { RegionCalls } from "@postern/shared/domain/region-calls";
import type { RegionLog } from "@postern/shared/domain/regions";
import { createRevoker } from "@postern/shared/domain/tokens";
import type { KeyRing } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import type { Logger } from "@postern/shared/platform/logging";
import type { Metrics } from "@postern/shared/platform/metrics";
import type { RedisClient } from "@postern/shared/platform/redis";
import { type Clock, steadyClock, systemClock } from "@postern/shared/platform/time";
import type { ClientUses } from "../../applications/client-uses.ts";
import type { AccountDomains } from "../../domains/account-domains.ts";
import type { IsRefused } from "../../domains/refused-accounts.ts";
import type { FlowStarter } from "../../flow/flow-starter.ts";
import type { Pages } from "../../pages/pages.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import type { SessionStore } from "../../sessions/session-store-redis.ts";
import { createSubjectsOfAccount } from "../accounts/accounts.ts";
import { createOidcAccounts } from "../accounts/accounts-redis.ts";
import { createReportUnreadable } from "../claims/client-claims.ts";
import { createConsents } from "../grants/consents-redis.ts";
import { createKeepGrant } from "../grants/grants.ts";
import type { OidcMetrics } from "../metrics/oidc-metrics.ts";
import { createRegisteredClients } from "../registration/registered-clients.ts";
import { createRegistrations } from "../registration/registrations-redis.ts";
import { longestLife, type OidcSettings } from "../settings/oidc-settings.ts";
import type { UserCodes } from "../settings/user-codes.ts";
import { createOutcomes } from "../storage/outcomes-redis.ts";
import { createRecordTimes } from "../storage/record-times.ts";
import { OidcStore, type StoredRecord } from "../storage/store-redis.ts";
import { createTokenRecords } from "../tokens/token-records.ts";

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
  readonly audit: Audit;
  /** Notifies the other protocols after an operator has ended a session. */
  readonly onClosed: (session: BrowserSessionRecord) => Promise<void>;
  readonly clientUses: Pick<ClientUses, "note">;
  /** Finds the account behind a name that an operator typed. */
  readonly accountNames: FindAccountNames;
  readonly isRefused: IsRefused;
  readonly domains: AccountDomains;
  readonly starter: FlowStarter;
  /** Undefined if there is one region only. */
  readonly regionCalls: RegionCalls | undefined;
}

export interface OidcParts extends OidcDeps {
  readonly counted: OidcMetrics;
  readonly userCodes: UserCodes;
  readonly keyPrefix: string;
  readonly keys: KeyRing;
  /** Where other regions read of revocations; absent without regions. */
  readonly regionLog: Pick<RegionLog, "append"> | undefined;
  /** The settings at startup, for what a reload does not change: issuer and identifier. */
  readonly initial: OidcSettings;
  /** The settings in use; a reload replaces them. */
  readonly settings: () => OidcSettings;
}

/** What OIDC stores in Redis. The provider and the features above it are built from this. */
export function createOidcState(parts: OidcParts) {
  const { redis, sharedClock: clock, keyPrefix, keys, settings, initial, logger } = parts;
  const store = new OidcStore({ ...parts, refreshGraceMs: () => settings().oidc.tokens.refresh_token_grace });
  const times = createRecordTimes({ own: systemClock, shared: clock });
  // One day more than the longest refresh token: an account outlives its tokens.
  const accountSeconds = (): number => Math.ceil(longestLife(settings(), "refresh_token") / 1000) + 86_400;
  const accounts = createOidcAccounts(redis, keyPrefix, keys, accountSeconds);
  const keepGrant = createKeepGrant(store, accounts, clock, times);
  const revoker = createRevoker(redis, keyPrefix, clock, parts.regionLog);
  const registrations = createRegistrations(redis, keyPrefix, keys, systemClock);
  const subjectsOfAccount = createSubjectsOfAccount(accounts);
  return {
    store,
    times,
    accounts,
    subjectsOfAccount,
    /** The records of all subjects of an account. Rejects with REDIS_UNAVAILABLE when the store is unavailable. */
    recordsOf: async (account: string): Promise<readonly StoredRecord[]> => {
      const lists = (await subjectsOfAccount(account)).map((subject) => store.list("account", subject));
      const listed = await Promise.all(lists).catch((cause: unknown) => {
        throw new AppError("REDIS_UNAVAILABLE", { detail: "the tokens of an account cannot be listed", cause });
      });
      return listed.flat();
    },
    consents: createConsents(redis, keyPrefix, keys),
    keepGrant,
    outcomes: createOutcomes(redis, keyPrefix, keys, steadyClock),
    records: createTokenRecords({ store, revoker, issuer: initial.issuer, clock, times, keepGrant }),
    reportUnreadable: createReportUnreadable(logger, clock),
    registrations,
    registered: createRegisteredClients(registrations, parts.regionCalls, () => settings().oidc, systemClock),
  };
}

export type OidcState = ReturnType<typeof createOidcState>;
