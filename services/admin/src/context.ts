import {
  accountChangesFromConfig,
  accountNamesFromSettings,
  auditHistoryFromConfig,
  type Base,
  baseFromConfig,
  type EngineBus,
  engineBusFromConfig,
  flushesFromConfig,
  historyFromConfig,
  liveDomainsFromConfig,
  redisFromConfig,
  regionLogFromConfig,
  rehearsalsFromConfig,
  rememberedDevicesFromConfig,
  scriptPasswordReports,
  unverifiablePasswordCounter,
} from "@postern/shared/assembly";
import { authenticate, mfaFactorsRead, notifyLostPhone } from "@postern/shared/contracts";
import {
  createBansByEnd,
  createBruteForceRecords,
  createGuessedCount,
  createNetworkState,
} from "@postern/shared/domain/brute-force";
import { createDomainCountReader } from "@postern/shared/domain/domain-counts";
import { createLostPhoneCodes } from "@postern/shared/domain/lost-phone";
import { createOriginReader } from "@postern/shared/domain/origins";
import { createPasswordVerifier } from "@postern/shared/domain/passwords";
import { locateOnBus } from "@postern/shared/domain/places";
import { createDayReader, createRollupReader } from "@postern/shared/domain/rollups";
import type { Suspensions } from "@postern/shared/domain/suspensions";
import { type Bus, busHealth } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import { createCallerReader, createCallerVerifier } from "@postern/shared/platform/http";
import { createHealth, type Health, type SharedByProcess } from "@postern/shared/platform/lifecycle";
import { lazyOpenapi } from "@postern/shared/platform/openapi";
import { type RedisClient, redisHealth, watchRedisClock } from "@postern/shared/platform/redis";
import { type Clock, steadyClock, systemClock } from "@postern/shared/platform/time";
import { createAccounts } from "./console/account/context.ts";
import { createAuditReads } from "./console/audit-reads.ts";
import { createConsole } from "./console/context.ts";
import { createExplanations } from "./console/search/context.ts";
import { sharedHistory } from "./console/search/shared-history.ts";
import { createShadowReports } from "./console/shadow/context.ts";
import { WatchHub } from "./console/watch/watch-hub.ts";
import { createFactorLocks } from "./factor-locks/factor-locks-redis.ts";
import { createHookScripts } from "./hooks/context.ts";
import { createJobs } from "./jobs/context.ts";
import { createIssuer } from "./jwt/context.ts";
import { createLostPhone } from "./lost-phone/create-lost-phone-code.ts";
import { createAdminMetrics } from "./metrics.ts";
import { createOperatorProofs, type OperatorProofs } from "./operators/context.ts";
import { createEventStreams } from "./operators/event-streams.ts";
import { createRegions } from "./regions/context.ts";
import { adminSettings, type LiveAdminSettings, liveAdminSettings } from "./settings.ts";
import { createSuspending } from "./suspensions/context.ts";
import { createSystem } from "./system/context.ts";

/** Operators sign in rarely; more concurrent requests than these are guesses. */
const hashing = { concurrency: 2, maxQueued: 64 };

function redisRolesOf(config: Config, base: Base) {
  return {
    state: redisFromConfig(config, "state", base),
    cache: redisFromConfig(config, "cache", base),
    queue: redisFromConfig(config, "queue", base),
  };
}

/** All components of the administration service. Only files called `context.ts` construct them. */
export async function createContext(config: Config, shared: SharedByProcess) {
  const base = await baseFromConfig(config, "admin", shared);
  const settings = adminSettings(config);
  const engineBus = await engineBusFromConfig(config, base);
  const parts = {
    ...base,
    settings,
    live: { current: liveAdminSettings(config) },
    ...redisRolesOf(config, base),
    ...engineBus,
    domains: liveDomainsFromConfig(config, base, engineBus.bus),
    passwords: createPasswordVerifier({
      ...hashing,
      onUnverifiable: scriptPasswordReports(base, unverifiablePasswordCounter(base)),
    }),
    consoleStreams: createEventStreams(),
    locate: locateOnBus(engineBus.bus),
    adminMetrics: createAdminMetrics(base.metrics, base.metricsPrefix),
  };
  const flush = { ...parts, live: () => parts.live.current.flush };
  const { prefix: keyPrefix } = config.storage.redis;
  const { state: redis } = parts;
  const sharedClock = watchRedisClock(redis);
  const accountNames = accountNamesFromSettings(flush);
  const suspending = createSuspending(config, { ...parts, redis, accountNames, clock: sharedClock });
  const records = recordsOf(config, { base, redis, sharedClock }, () => flush.live().rules);
  const factorLocks = createFactorLocks(redis, keyPrefix, () => parts.live.current.factorLimits, systemClock);
  const jobs = createJobs(config, { redis: parts.queue, logger: parts.logger });
  const rememberedDevices = rememberedDevicesFromConfig(config, { redis, clock: sharedClock });
  const health = createAdminHealth(config, parts);
  const proofs = proofsOf(config, { ...parts, ...suspending, sharedClock });
  return {
    ...parts,
    flushes: flushesFromConfig(config, flush),
    factorLocks,
    /** Undefined without the secret that encrypts them. */
    rememberedDevices,
    ...proofs,
    accountNames,
    ...suspending,
    jobs,
    ...records,
    watchHub: createWatchHub(parts),
    shadowReports: createShadowReports(config, redis),
    auditReads: createAuditReads(parts.audit),
    ...createExplanations(config, { ...parts, ...suspending, ...records, accountNames, factorLocks }),
    reportAccount: createAccounts(config, { ...parts, ...records, ...proofs, rememberedDevices }, factorLocks),
    readCaller: createCallerReader(createCallerVerifier({ secret: settings.assertionSecret }, "admin", sharedClock)),
    health,
    ...createSystem(config, { ...parts, ...records, health, readJob: jobs.read }),
    /** Undefined when `auth.backchannel.jwt` is off. */
    jwtIssuer: createIssuer(config, { ...parts, ...suspending }),
    /** The OpenAPI document of the management API. */
    openapi: lazyOpenapi("management", config),
    hooks: await createHookScripts(config, parts),
    /** Undefined if the console is off. */
    consolePages: await createConsole(config, { ...parts, ...suspending, sharedClock, accountNames, ...proofs }),
  };
}

/** What operators watch, and its number as a metric. */
function createWatchHub({ bus, engineWatch, metrics, metricsPrefix }: Base & EngineBus): WatchHub {
  const hub = new WatchHub({ bus, engineWatch, clock: steadyClock });
  metrics.gauge({
    name: `${metricsPrefix}_admin_watches`,
    help: "Streams of decisions that operators watch",
    read: () => hub.size,
  });
  return hub;
}

export type AdminContext = Awaited<ReturnType<typeof createContext>>;

/** What engines have recorded in Redis. */
function recordsOf(
  config: Config,
  { base, redis, sharedClock }: { readonly base: Base; readonly redis: RedisClient; readonly sharedClock: Clock },
  rules: Parameters<typeof createBruteForceRecords>[0]["rules"],
) {
  const { prefix: keyPrefix } = config.storage.redis;
  const hasRegions = config.runtime.regions.name !== "";
  return {
    bruteForce: createBruteForceRecords({ redis, keyPrefix, rules, clock: systemClock }),
    networkState: createNetworkState({ redis, keyPrefix, rules, clock: systemClock, hasRegions }),
    /** Undefined without other regions. */
    regions: createRegions(config, redis, sharedClock),
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
    changes: accountChangesFromConfig(config, base, redis),
    /** Undefined while audit records are not kept in Redis. */
    readAuditHistory: auditHistoryFromConfig(config, redis),
  };
}

interface LostPhoneParts extends OperatorProofs {
  readonly live: { readonly current: LiveAdminSettings };
  readonly state: RedisClient;
  readonly bus: Bus;
  readonly suspensions: Suspensions;
  readonly sharedClock: Clock;
}

type ProofParts = Omit<LostPhoneParts, keyof OperatorProofs> & Parameters<typeof createOperatorProofs>[1];

/** What shows who an operator or a user is. */
function proofsOf(config: Config, parts: ProofParts) {
  const proofs = createOperatorProofs(config, parts);
  return { ...proofs, ...lostPhoneOf(config, { ...parts, ...proofs }) };
}

function lostPhoneOf({ identity, storage }: Config, parts: LostPhoneParts) {
  const { live, state, bus, suspensions, readRight, isDoubted, namesOnPages, sharedClock } = parts;
  const deadline = () => ({ deadline: steadyClock.now() + live.current.decisionTimeoutMs });
  return createLostPhone({
    codes: identity.mfa.lost_phone.enabled ? createLostPhoneCodes(state, storage.redis.prefix, sharedClock) : undefined,
    accountNames: namesOnPages,
    decide: (request) => bus.request(authenticate, request, deadline()),
    readFactors: (target) => bus.request(mfaFactorsRead, target, deadline()),
    notify: (notification) => bus.request(notifyLostPhone, notification, deadline()),
    readRight,
    suspensions,
    isDoubted,
  });
}

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
