import {
  accountChangesFromConfig,
  auditHistoryFromConfig,
  historyFromConfig,
  keyRingFromConfig,
  regionLogFromConfig,
  rehearsalsFromConfig,
} from "@postern/shared/assembly";
import {
  createBansByEnd,
  createBruteForceRecords,
  createGuessedCount,
  createNetworkState,
} from "@postern/shared/domain/brute-force";
import { createDomainCountReader } from "@postern/shared/domain/domain-counts";
import { createOriginReader } from "@postern/shared/domain/origins";
import { createRegionStatuses } from "@postern/shared/domain/regions";
import { createDayReader, createRollupReader } from "@postern/shared/domain/rollups";
import { createShadowReport } from "@postern/shared/domain/shadow";
import type { Config } from "@postern/shared/platform/config";
import { systemClock } from "@postern/shared/platform/time";
import type { AdminParts } from "./admin-parts.ts";
import { sharedHistory } from "./console/search/shared-history.ts";
import { createRegions } from "./regions/regions.ts";

/** What services have recorded in Redis. */
export function createRecords(config: Config, parts: AdminParts) {
  const { state: redis, keyPrefix, sharedClock, live } = parts;
  const { name: region, peers } = config.runtime.regions;
  const rules = () => live.current.flush.rules;
  const shadowKeys = keyRingFromConfig(config, "shadow");
  return {
    bruteForce: createBruteForceRecords({ redis, keyPrefix, rules, clock: systemClock }),
    networkState: createNetworkState({ redis, keyPrefix, rules, clock: systemClock, hasRegions: region !== "" }),
    /** Undefined without other regions. */
    regions:
      region === "" ? undefined : createRegions(region, peers, createRegionStatuses(redis, keyPrefix, sharedClock)),
    /** Undefined without other regions. */
    regionLog: regionLogFromConfig(config, redis),
    listBansByEnd: createBansByEnd(redis, keyPrefix, systemClock),
    readRollups: createRollupReader(redis, keyPrefix),
    readDay: createDayReader(redis, keyPrefix),
    readOrigins: createOriginReader(redis, keyPrefix),
    readDomainCounts: createDomainCountReader(redis, keyPrefix),
    countGuessed: createGuessedCount(redis, keyPrefix),
    /** Undefined while no history is recorded. */
    history: sharedHistory(historyFromConfig(config, redis)),
    rehearsals: rehearsalsFromConfig(config, redis),
    changes: accountChangesFromConfig(config, parts, redis),
    /** Undefined while audit records are not kept in Redis. */
    readAuditHistory: auditHistoryFromConfig(config, redis),
    /** Undefined without the secret that encrypts them: then nothing is compared. */
    shadowReports: shadowKeys && createShadowReport({ redis, keyPrefix, keys: shadowKeys }),
  };
}

export type AdminRecords = ReturnType<typeof createRecords>;
