import {
  accountChangesFromConfig,
  accountNamesFromSettings,
  auditHistoryFromConfig,
  type Base,
  baseFromConfig,
  engineBusFromConfig,
  flushesFromConfig,
  historyFromConfig,
  redisFromConfig,
  scriptPasswordReports,
  unverifiablePasswordCounter,
} from "@postern/shared/assembly";
import { createBansByEnd, createBruteForceRecords, createNetworkState } from "@postern/shared/domain/brute-force";
import { createPasswordVerifier } from "@postern/shared/domain/passwords";
import { locateOnBus } from "@postern/shared/domain/places";
import { createRollupReader } from "@postern/shared/domain/rollups";
import { type Bus, busHealth } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import { createCallerReader, createCallerVerifier } from "@postern/shared/platform/http";
import { createHealth, type Health, type SharedByProcess } from "@postern/shared/platform/lifecycle";
import { lazyOpenapi } from "@postern/shared/platform/openapi";
import { type RedisClient, redisHealth, watchRedisClock } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { createAccounts } from "./console/account/context.ts";
import { createAuditReads } from "./console/audit-reads.ts";
import { createConsole } from "./console/context.ts";
import { createExplanations } from "./console/search/context.ts";
import { createFactorLocks } from "./factor-locks/factor-locks-redis.ts";
import { createHookScripts } from "./hooks/context.ts";
import { createJobs } from "./jobs/context.ts";
import { createIssuer } from "./jwt/context.ts";
import { createAdminMetrics } from "./metrics.ts";
import { createOperatorProofs } from "./operators/context.ts";
import { createEventStreams } from "./operators/event-streams.ts";
import { adminSettings, liveAdminSettings } from "./settings.ts";
import { createSuspending } from "./suspensions/context.ts";
import { createSystem } from "./system/context.ts";

/** Operators sign in rarely; more concurrent requests than these are guesses. */
const hashing = { concurrency: 2, maxQueued: 64 };

/** What is recorded about sign-ins, changes and operators. */
function createRecorded(config: Config, parts: Base & { readonly state: RedisClient; readonly bus: Bus }) {
  return {
    /** Undefined while no history is recorded. */
    history: historyFromConfig(config, parts.state),
    changes: accountChangesFromConfig(config, parts, parts.state),
    locate: locateOnBus(parts.bus),
    /** Undefined while audit records are not kept in Redis. */
    readAuditHistory: auditHistoryFromConfig(config, parts.state),
  };
}

/** All components of the administration service. Only files called `context.ts` construct them. */
export async function createContext(config: Config, shared: SharedByProcess) {
  const base = await baseFromConfig(config, "admin", shared);
  const settings = adminSettings(config);
  const parts = {
    ...base,
    settings,
    live: { current: liveAdminSettings(config) },
    state: redisFromConfig(config, "state", base),
    cache: redisFromConfig(config, "cache", base),
    queue: redisFromConfig(config, "queue", base),
    ...(await engineBusFromConfig(config, base)),
    passwords: createPasswordVerifier({
      ...hashing,
      onUnverifiable: scriptPasswordReports(base, unverifiablePasswordCounter(base)),
    }),
    consoleStreams: createEventStreams(),
    adminMetrics: createAdminMetrics(base.metrics, base.metricsPrefix),
  };
  const flush = { ...parts, live: () => parts.live.current.flush };
  const { prefix: keyPrefix } = config.storage.redis;
  const { state: redis } = parts;
  const sharedClock = watchRedisClock(redis);
  const accountNames = accountNamesFromSettings(flush);
  const suspending = createSuspending(config, { ...parts, redis, accountNames, clock: sharedClock });
  const bruteForce = createBruteForceRecords({ redis, keyPrefix, rules: () => flush.live().rules, clock: systemClock });
  const { changes, ...recorded } = createRecorded(config, parts);
  const factorLocks = createFactorLocks(redis, keyPrefix, () => parts.live.current.factorLimits, systemClock);
  const jobs = createJobs(config, { redis: parts.queue, logger: parts.logger });
  const health = createAdminHealth(config, parts);
  const proofs = createOperatorProofs(config, parts);
  return {
    ...parts,
    flushes: flushesFromConfig(config, flush),
    factorLocks,
    ...proofs,
    accountNames,
    ...suspending,
    jobs,
    bruteForce,
    networkState: createNetworkState({ redis, keyPrefix, rules: () => flush.live().rules, clock: systemClock }),
    listBansByEnd: createBansByEnd(redis, keyPrefix, systemClock),
    readRollups: createRollupReader(redis, keyPrefix),
    ...recorded,
    auditReads: createAuditReads(parts.audit),
    ...createExplanations(config, { ...parts, ...suspending, ...recorded, accountNames, bruteForce, factorLocks }),
    reportAccount: createAccounts(config, { ...parts, changes }, factorLocks),
    readCaller: createCallerReader(createCallerVerifier({ secret: settings.assertionSecret }, "admin", sharedClock)),
    health,
    ...createSystem(config, { ...parts, health, readJob: jobs.read }),
    /** Undefined when `auth.backchannel.jwt` is off. */
    jwtIssuer: createIssuer(config, { ...parts, ...suspending }),
    /** The OpenAPI document of the management API. */
    openapi: lazyOpenapi("management", config),
    hooks: await createHookScripts(config, parts),
    /** Undefined if the console is off. */
    consolePages: await createConsole(config, { ...parts, ...suspending, sharedClock, accountNames, ...proofs }),
  };
}

export type AdminContext = Awaited<ReturnType<typeof createContext>>;

interface HealthParts extends Pick<Base, "service" | "instance" | "logger"> {
  readonly state: RedisClient;
  readonly cache: RedisClient;
  readonly queue: RedisClient;
  readonly bus: Bus;
}

function createAdminHealth(
  config: Config,
  { state, cache, queue, bus, service, instance, logger }: HealthParts,
): Health {
  const { prefix: keyPrefix } = config.storage.redis;
  const ofRedis = { required: false, keyPrefix, service, instance };
  return createHealth({
    // Reading the configuration needs neither, so the service runs without them.
    checks: [
      redisHealth({ ...ofRedis, client: state, role: "state" }),
      redisHealth({ ...ofRedis, client: cache, role: "cache" }),
      redisHealth({ ...ofRedis, client: queue, role: "queue" }),
      busHealth(bus, false),
    ],
    onFailure: (name, err) => logger.warn({ check: name, err }, "health check failed"),
  });
}
