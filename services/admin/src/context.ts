import {
  accountNamesFromSettings,
  type Base,
  baseFromConfig,
  type EngineBus,
  engineBusFromConfig,
  flushesFromConfig,
  redisFromConfig,
  scriptPasswordReports,
  unverifiablePasswordCounter,
} from "@postern/shared/assembly";
import { authenticate } from "@postern/shared/contracts";
import { type BruteForceRecords, createBruteForceRecords } from "@postern/shared/domain/brute-force";
import type { FindAccountNames, Flushes } from "@postern/shared/domain/flush";
import { createPasswordVerifier, type PasswordVerifier } from "@postern/shared/domain/passwords";
import { createRevoker, serviceTokenKey, serviceTokenNames } from "@postern/shared/domain/tokens";
import type { Config } from "@postern/shared/platform/config";
import { AppError } from "@postern/shared/platform/errors";
import { createCallerReader, createCallerVerifier, type ReadCaller } from "@postern/shared/platform/http";
import { createHealth, type Health } from "@postern/shared/platform/lifecycle";
import { lazyOpenapi, type RenderedDocument } from "@postern/shared/platform/openapi";
import { type RedisClient, redisHealth } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { createHookScripts, type HookScripts } from "./context/hooks.ts";
import { createJobs } from "./context/jobs.ts";
import type { FactorLocks } from "./factor-locks/factor-locks.ts";
import { createFactorLocks } from "./factor-locks/factor-locks-redis.ts";
import type { JobQueue, ReadJob } from "./jobs/jobs.ts";
import { createJwtIssuer, type JwtIssuer } from "./jwt/jwt-issuer.ts";
import { createRefreshFamilies } from "./jwt/refresh-families-redis.ts";
import { createTokenPairs } from "./jwt/token-pair.ts";
import { createJwtUsers } from "./jwt/users.ts";
import { type AdminMetrics, createAdminMetrics } from "./metrics.ts";
import { type AdminSettings, adminSettings, type LiveAdminSettings, liveAdminSettings } from "./settings.ts";

/** All components of the administration service. Only this file constructs them. */
export interface AdminContext extends Base, EngineBus {
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
  readonly passwords: PasswordVerifier;
  readonly adminMetrics: AdminMetrics;
  readonly readCaller: ReadCaller;
  /** Absent when `auth.backchannel.jwt` is off. */
  readonly jwtIssuer: JwtIssuer | undefined;
  /** The OpenAPI document of the management API. */
  readonly openapi: () => RenderedDocument;
  readonly hooks: HookScripts;
}

/** Operators sign in rarely; more concurrent requests than these are guesses. */
const hashing = { concurrency: 2, maxQueued: 64 };

type JwtParts = Pick<
  AdminContext,
  "audit" | "settings" | "live" | "state" | "bus" | "passwords" | "adminMetrics" | "logger"
>;
type HealthParts = Base & Pick<AdminContext, "state" | "cache" | "queue" | "bus">;

function createIssuer(config: Config, parts: JwtParts): JwtIssuer | undefined {
  const { settings, live, state, bus, passwords, adminMetrics, logger, audit } = parts;
  if (settings.jwtSecret === undefined) return undefined;
  const { identifier, clockSkewSeconds: skewSeconds } = settings;
  const { prefix: keyPrefix } = config.storage.redis;
  const clock = systemClock;
  const lives = () => live.current.jwt.lives;
  const revoker = createRevoker({ redis: state, keyPrefix, clock });
  const { issuer } = serviceTokenNames(identifier);
  return createJwtIssuer({
    users: createJwtUsers({
      settings: () => live.current.jwt,
      passwords,
      decide: (request, context) => bus.request(authenticate, request, context),
    }),
    pairs: createTokenPairs({
      rules: { key: serviceTokenKey(settings.jwtSecret), identifier, skewSeconds, clock },
      lives,
      clock,
    }),
    families: createRefreshFamilies(state, keyPrefix),
    lives,
    epochOf: (username) =>
      revoker.epochOf(issuer, username).catch((cause: unknown) => {
        throw new AppError("REDIS_UNAVAILABLE", { detail: "the token epoch of a user cannot be read", cause });
      }),
    onReuse: (session) => {
      adminMetrics.refreshTokenReused();
      audit.record({ event: "token.reuse", outcome: "denied", session });
      logger.warn({ session }, "a refresh token was used twice; its family was revoked");
    },
  });
}

function createAdminHealth(
  config: Config,
  { state, cache, queue, bus, service, instance, logger }: HealthParts,
): Health {
  const { prefix: keyPrefix } = config.storage.redis;
  const ofRedis = { required: false, keyPrefix, service, instance };
  const assertConnected = (): void => {
    if (!bus.isConnected()) throw new Error("not connected to NATS");
  };
  return createHealth({
    // Reading the configuration needs neither, so the service runs without them.
    checks: [
      redisHealth({ ...ofRedis, client: state, role: "state" }),
      redisHealth({ ...ofRedis, client: cache, role: "cache" }),
      redisHealth({ ...ofRedis, client: queue, role: "queue" }),
      { name: "bus", required: false, check: assertConnected },
    ],
    onFailure: (name, err) => logger.warn({ check: name, err }, "health check failed"),
  });
}

export async function createContext(config: Config): Promise<AdminContext> {
  const base = baseFromConfig(config, "admin");
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
    adminMetrics: createAdminMetrics(base.metrics, base.metricsPrefix),
  };
  const flush = { ...parts, live: () => parts.live.current.flush };
  const { prefix: keyPrefix } = config.storage.redis;
  return {
    ...parts,
    flushes: flushesFromConfig(config, flush),
    factorLocks: createFactorLocks(parts.state, keyPrefix),
    accountNames: accountNamesFromSettings(flush),
    jobs: createJobs(config, { redis: parts.queue, logger: parts.logger }),
    bruteForce: createBruteForceRecords({
      redis: parts.state,
      keyPrefix,
      rules: () => flush.live().rules,
      clock: systemClock,
    }),
    readCaller: createCallerReader(createCallerVerifier({ secret: settings.assertionSecret }, "admin")),
    health: createAdminHealth(config, parts),
    jwtIssuer: createIssuer(config, parts),
    openapi: lazyOpenapi("management", config),
    hooks: await createHookScripts(config, parts),
  };
}
