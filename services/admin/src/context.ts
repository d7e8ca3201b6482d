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
import type { Config } from "@postern/shared/platform/config";
import { createCallerReader, createCallerVerifier, type ReadCaller } from "@postern/shared/platform/http";
import type { Health } from "@postern/shared/platform/lifecycle";
import { lazyOpenapi, type RenderedDocument } from "@postern/shared/platform/openapi";
import { type RedisClient, watchRedisClock } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import type { ReportAccount } from "./console/account-report.ts";
import { type AuditReads, createAuditReads } from "./console/audit-reads.ts";
import type { Explain } from "./console/explain.ts";
import type { ExplainRisk } from "./console/explain-risk.ts";
import { createAccounts } from "./context/accounts.ts";
import { type CreateConsolePages, createConsole } from "./context/console.ts";
import { createExplanations } from "./context/explanations.ts";
import { createAdminHealth } from "./context/health.ts";
import { createHookScripts, type HookScripts } from "./context/hooks.ts";
import { createJobs } from "./context/jobs.ts";
import { createIssuer } from "./context/jwt.ts";
import { createOperatorProofs, type OperatorProofs } from "./context/operator-proofs.ts";
import { createSystem, type SystemContext } from "./context/system.ts";
import type { FactorLocks } from "./factor-locks/factor-locks.ts";
import { createFactorLocks } from "./factor-locks/factor-locks-redis.ts";
import type { JobQueue, ReadJob } from "./jobs/jobs.ts";
import type { JwtIssuer } from "./jwt/jwt-issuer.ts";
import { type AdminMetrics, createAdminMetrics } from "./metrics.ts";
import { createEventStreams, type EventStreams } from "./operators/event-streams.ts";
import { type AdminSettings, adminSettings, type LiveAdminSettings, liveAdminSettings } from "./settings.ts";

/** All components of the administration service. Only this file and `context/` construct them. */
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

export async function createContext(config: Config): Promise<AdminContext> {
  const base = await baseFromConfig(config, "admin");
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
  const factorLocks = createFactorLocks({
    redis,
    keyPrefix,
    settings: () => parts.live.current.factorLimits,
    clock,
  });
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
