import { flushesFromConfig, rememberedDevicesFromConfig } from "@postern/shared/assembly";
import { authenticate, mfaFactorsRead, notifyLostPhone } from "@postern/shared/contracts";
import { createLostPhoneCodes } from "@postern/shared/domain/lost-phone";
import { busHealth } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import { createCallerReader, createCallerVerifier } from "@postern/shared/platform/http";
import { createHealth, type Health, type SharedByProcess } from "@postern/shared/platform/lifecycle";
import { lazyOpenapi } from "@postern/shared/platform/openapi";
import { redisHealth } from "@postern/shared/platform/redis";
import { steadyClock, systemClock } from "@postern/shared/platform/time";
import { type AdminParts, createParts } from "./admin-parts.ts";
import { createRecords } from "./admin-records.ts";
import { createAccounts } from "./console/account/context.ts";
import { createAuditReads } from "./console/audit-reads.ts";
import { createConsole } from "./console/context.ts";
import { createExplanations } from "./console/search/context.ts";
import { WatchHub } from "./console/watch/watch-hub.ts";
import { createFactorLocks } from "./factor-locks/factor-locks-redis.ts";
import { createHookScripts } from "./hooks/context.ts";
import { createJobQueue } from "./jobs/job-queue-redis.ts";
import { createJobStatus } from "./jobs/job-status-redis.ts";
import { createIssuer } from "./jwt/context.ts";
import { createLostPhone } from "./lost-phone/create-lost-phone-code.ts";
import { createOperatorProofs, type OperatorProofs } from "./operators/context.ts";
import { createSuspending, type Suspending } from "./suspensions/context.ts";
import { createSystem } from "./system/context.ts";

/** All components of the administration service. Only files called `context.ts`, `admin-parts.ts` and `admin-records.ts` construct them. */
export async function createContext(config: Config, shared: SharedByProcess) {
  const parts = await createParts(config, shared);
  const { live, state, keyPrefix, sharedClock } = parts;
  const known = {
    ...parts,
    ...createRecords(config, parts),
    ...createSuspending(config, parts),
    ...createOperatorProofs(config, parts),
    factorLocks: createFactorLocks(state, keyPrefix, () => live.current.factorLimits, systemClock),
    /** Undefined without the secret that encrypts them. */
    rememberedDevices: rememberedDevicesFromConfig(config, { redis: state, clock: sharedClock }),
    health: createAdminHealth(parts),
    jobs: jobsOf(config, parts),
  };
  const lostPhone = lostPhoneOf(config, known);
  const verifyCaller = createCallerVerifier({ secret: parts.settings.assertionSecret }, "admin", sharedClock);
  return {
    ...known,
    ...lostPhone,
    flushes: flushesFromConfig(config, { ...parts, live: () => live.current.flush }),
    watchHub: createWatchHub(parts),
    auditReads: createAuditReads(parts.audit),
    ...createExplanations(known),
    reportAccount: createAccounts(config, { ...known, ...lostPhone }),
    readCaller: createCallerReader(verifyCaller),
    ...createSystem(config, known),
    /** Undefined when `auth.backchannel.jwt` is off. */
    jwtIssuer: createIssuer(known),
    /** The OpenAPI document of the management API. */
    openapi: lazyOpenapi("management", config),
    hooks: await createHookScripts(config, parts),
    /** Undefined if the console is off. */
    consolePages: createConsole(config, known),
  };
}

export type AdminContext = Awaited<ReturnType<typeof createContext>>;

/** What operators watch, and its number as a metric. */
function createWatchHub({ bus, engineWatch, metrics, metricsPrefix }: AdminParts): WatchHub {
  const hub = new WatchHub({ bus, engineWatch, clock: steadyClock });
  metrics.gauge({
    name: `${metricsPrefix}_admin_watches`,
    help: "Streams of decisions that operators watch",
    read: () => hub.size,
  });
  return hub;
}

/** Added to Redis's command timeout, for commands that have not been sent yet. */
const marginMs = 500;

/** The queue of flush jobs and the records of its jobs. */
function jobsOf({ runtime, storage }: Config, { queue: redis, keyPrefix, logger }: AdminParts) {
  const { retention: retentionMs, max_queued: maxQueued } = runtime.jobs;
  const timeoutMs = storage.redis.write_timeout + marginMs;
  const onError = (err: unknown): void => logger.debug({ err }, "job queue error");
  return {
    queue: createJobQueue({ redis, keyPrefix, retentionMs, maxQueued, timeoutMs, onError }),
    read: createJobStatus(redis, keyPrefix, retentionMs),
  };
}

function lostPhoneOf({ identity }: Config, parts: AdminParts & OperatorProofs & Suspending) {
  const { live, state, keyPrefix, bus, suspensions, readRight, isDoubted, namesOnPages, sharedClock } = parts;
  const deadline = () => ({ deadline: steadyClock.now() + live.current.decisionTimeoutMs });
  return createLostPhone({
    codes: identity.mfa.lost_phone.enabled ? createLostPhoneCodes(state, keyPrefix, sharedClock) : undefined,
    accountNames: namesOnPages,
    decide: (request) => bus.request(authenticate, request, deadline()),
    readFactors: (target) => bus.request(mfaFactorsRead, target, deadline()),
    notify: (notification) => bus.request(notifyLostPhone, notification, deadline()),
    readRight,
    suspensions,
    isDoubted,
  });
}

function createAdminHealth({ state, cache, queue, bus, keyPrefix, service, instance, logger }: AdminParts): Health {
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
