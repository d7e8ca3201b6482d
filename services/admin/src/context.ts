import {
  accountNamesFromSettings,
  auditHistoryFromConfig,
  type Base,
  baseFromConfig,
  type EngineBus,
  engineBusFromConfig,
  flushesFromConfig,
  historyFromConfig,
  redisFromConfig,
  scriptPasswordReports,
  unverifiablePasswordCounter,
} from "@postern/shared/assembly";
import {
  type BruteForceRecords,
  createBansByEnd,
  createBruteForceRecords,
  type ListBansByEnd,
} from "@postern/shared/domain/brute-force";
import type { FindAccountNames, Flushes } from "@postern/shared/domain/flush";
import type { DecisionHistory, ReadAuditHistory } from "@postern/shared/domain/history";
import { createPasswordVerifier, type PasswordVerifier } from "@postern/shared/domain/passwords";
import { type Bus, busHealth } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import { createCallerReader, createCallerVerifier, type ReadCaller } from "@postern/shared/platform/http";
import { createHealth, type Health, type SharedByProcess } from "@postern/shared/platform/lifecycle";
import { lazyOpenapi, type RenderedDocument } from "@postern/shared/platform/openapi";
import { type RedisClient, redisHealth, watchRedisClock } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import type { ReportAccount } from "./console/account/account-report.ts";
import { createAccounts } from "./console/account/context.ts";
import { type AuditReads, createAuditReads } from "./console/audit-reads.ts";
import { type CreateConsolePages, createConsole } from "./console/context.ts";
import { createExplanations } from "./console/search/context.ts";
import type { Explain } from "./console/search/explain.ts";
import type { ExplainRisk } from "./console/search/explain-risk.ts";
import { createFactorLocks, type FactorLocks } from "./factor-locks/factor-locks-redis.ts";
import { createHookScripts, type HookScripts } from "./hooks/context.ts";
import { createJobs } from "./jobs/context.ts";
import type { JobQueue } from "./jobs/job-queue-redis.ts";
import type { ReadJob } from "./jobs/job-status-redis.ts";
import { createIssuer } from "./jwt/context.ts";
import type { JwtIssuer } from "./jwt/jwt-issuer.ts";
import { type AdminMetrics, createAdminMetrics } from "./metrics.ts";
import { createOperatorProofs, type OperatorProofs } from "./operators/context.ts";
import { createEventStreams, type EventStreams } from "./operators/event-streams.ts";
import { type AdminSettings, adminSettings, type LiveAdminSettings, liveAdminSettings } from "./settings.ts";
import { createSystem, type SystemContext } from "./system/context.ts";

/** All components of the administration service. Only files called `context.ts` construct them. */
export interface AdminContext extends Base, EngineBus, SystemContext, OperatorProofs {
  readonly settings: AdminSettings;
  readonly live: { current: LiveAdminSettings };
  readonly health: Health;
  readonly state: RedisClient;
  readonly cache: RedisClient;
  readonly queue: RedisClient;
  readonly jobs: { readonly queue: JobQueue; readonly read: ReadJob };
  readonly flushes: Flushes;
  readonly factorLocks: FactorLocks;
  readonly accountNames: FindAccountNames;
  readonly bruteForce: BruteForceRecords;
  readonly listBansByEnd: ListBansByEnd;
  /** Undefined while no history is recorded. */
  readonly history: DecisionHistory | undefined;
  /** Undefined while audit records are not kept in Redis. */
  readonly readAuditHistory: ReadAuditHistory | undefined;
  readonly explain: Explain;
  readonly auditReads: AuditReads;
  readonly explainRisk: ExplainRisk;
  readonly reportAccount: ReportAccount;
  readonly passwords: PasswordVerifier;
  readonly adminMetrics: AdminMetrics;
  readonly readCaller: ReadCaller;
  /** Absent when `auth.backchannel.jwt` is off. */
  readonly jwtIssuer: JwtIssuer | undefined;
  /** The OpenAPI document of the management API. */
  readonly openapi: () => RenderedDocument;
  readonly hooks: HookScripts;
  readonly consoleStreams: EventStreams;
  /** Undefined if the console is off. */
  readonly consolePages: CreateConsolePages | undefined;
}

/** Operators sign in rarely; more concurrent requests than these are guesses. */
const hashing = { concurrency: 2, maxQueued: 64 };

export async function createContext(config: Config, shared: SharedByProcess): Promise<AdminContext> {
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
  const clock = systemClock;
  const sharedClock = watchRedisClock(redis);
  const rules = () => flush.live().rules;
  const accountNames = accountNamesFromSettings(flush);
  const bruteForce = createBruteForceRecords({ redis, keyPrefix, rules, clock });
  const history = historyFromConfig(config, redis);
  const factorLocks = createFactorLocks(redis, keyPrefix, () => parts.live.current.factorLimits, clock);
  const jobs = createJobs(config, { redis: parts.queue, logger: parts.logger });
  const health = createAdminHealth(config, parts);
  const proofs = createOperatorProofs(config, parts);
  return {
    ...parts,
    flushes: flushesFromConfig(config, flush),
    factorLocks,
    ...proofs,
    accountNames,
    jobs,
    bruteForce,
    listBansByEnd: createBansByEnd(redis, keyPrefix, clock),
    history,
    readAuditHistory: auditHistoryFromConfig(config, redis),
    auditReads: createAuditReads(parts.audit),
    ...createExplanations(config, { ...parts, history, accountNames, bruteForce, factorLocks }),
    reportAccount: createAccounts(config, parts, factorLocks),
    readCaller: createCallerReader(createCallerVerifier({ secret: settings.assertionSecret }, "admin", sharedClock)),
    health,
    ...createSystem(config, { ...parts, health, readJob: jobs.read }),
    jwtIssuer: createIssuer(config, parts),
    openapi: lazyOpenapi("management", config),
    hooks: await createHookScripts(config, parts),
    consolePages: await createConsole(config, { ...parts, sharedClock, accountNames, ...proofs }),
  };
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
