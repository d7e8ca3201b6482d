import { type Base, baseFromConfig, busFromConfig, flushesFromConfig, redisFromConfig } from "@postern/shared/assembly";
import { jobQueueFromConfig } from "@postern/shared/assembly/jobs";
import { type BruteForceState, createBruteForceState } from "@postern/shared/brute-force";
import type { Bus } from "@postern/shared/bus";
import type { Config } from "@postern/shared/config";
import { authenticate } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/errors";
import type { Flushes } from "@postern/shared/flush";
import { createCallerReader, createCallerVerifier, type ReadCaller } from "@postern/shared/http";
import type { JobQueue, ReadJob } from "@postern/shared/jobs";
import { createHealth, type Health } from "@postern/shared/lifecycle";
import { lazyOpenapi, type RenderedDocument } from "@postern/shared/openapi";
import { createPasswordVerifier, type PasswordVerifier } from "@postern/shared/passwords";
import { type RedisClient, redisHealth } from "@postern/shared/redis";
import { systemClock } from "@postern/shared/time";
import { createRevoker, serviceTokenKey, serviceTokenNames } from "@postern/shared/tokens";
import { createHookScripts, type HookScripts } from "./context/hooks.ts";
import { createJwtIssuer, type JwtIssuer } from "./jwt/jwt-issuer.ts";
import { createRefreshFamilies } from "./jwt/refresh-families-redis.ts";
import { createTokenPairs } from "./jwt/token-pair.ts";
import { createJwtUsers } from "./jwt/users.ts";
import { type AdminMetrics, createAdminMetrics } from "./metrics.ts";
import { type AdminSettings, adminSettings, type LiveAdminSettings, liveAdminSettings } from "./settings.ts";

/** Everything that the administration service is made of. Only this file makes any of it. */
export interface AdminContext extends Base {
  readonly settings: AdminSettings;
  readonly live: { current: LiveAdminSettings };
  readonly health: Health;
  readonly state: RedisClient;
  readonly cache: RedisClient;
  readonly queue: RedisClient;
  readonly bus: Bus;
  readonly jobs: { readonly queue: JobQueue; readonly read: ReadJob };
  readonly flushes: Flushes;
  readonly bruteForce: BruteForceState;
  readonly passwords: PasswordVerifier;
  readonly adminMetrics: AdminMetrics;
  readonly readCaller: ReadCaller;
  /** Absent when `auth.backchannel.jwt` is off. */
  readonly jwtIssuer: JwtIssuer | undefined;
  /** The management contract. */
  readonly openapi: () => RenderedDocument;
  readonly hooks: HookScripts;
}

/** Logins of operators are few; more than these at a time is somebody guessing. */
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
  const { prefix } = config.storage.redis;
  const clock = systemClock;
  const lives = () => live.current.jwt.lives;
  const revoker = createRevoker({ redis: state, prefix, clock });
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
    families: createRefreshFamilies(state, prefix),
    lives,
    epochOf: (username) =>
      revoker.epochOf(issuer, username).catch((cause: unknown) => {
        throw new AppError("REDIS_UNAVAILABLE", { detail: "the epoch of a user's tokens cannot be read", cause });
      }),
    onReuse: (session) => {
      adminMetrics.refreshTokenReused();
      audit.record({ event: "token.reuse", outcome: "denied", session });
      logger.warn({ session }, "refresh token came twice, its family is revoked");
    },
  });
}

function createAdminHealth(
  config: Config,
  { state, cache, queue, bus, service, instance, logger }: HealthParts,
): Health {
  const { prefix } = config.storage.redis;
  const ofRedis = { required: false, prefix, service, instance };
  const assertConnected = (): void => {
    if (!bus.isConnected()) throw new Error("not connected to NATS");
  };
  return createHealth({
    // Reading the configuration needs neither, so the service serves without them.
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
    bus: await busFromConfig(config, base),
    passwords: createPasswordVerifier(hashing),
    adminMetrics: createAdminMetrics(base.metrics, base.prefix),
  };
  const flush = { ...parts, live: () => parts.live.current.flush };
  const { prefix } = config.storage.redis;
  return {
    ...parts,
    flushes: flushesFromConfig(config, flush),
    jobs: jobQueueFromConfig(config, { redis: parts.queue, logger: parts.logger }),
    bruteForce: createBruteForceState({
      redis: parts.state,
      prefix,
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
