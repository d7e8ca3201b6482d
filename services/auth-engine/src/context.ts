import { randomBytes } from "node:crypto";
import {
  type Base,
  baseFromConfig,
  busFromConfig,
  historyWriterFromConfig,
  redisFromConfig,
} from "@postern/shared/assembly";
import { DecisionWatches } from "@postern/shared/domain/decision-watch";
import { createHistoryRecorder } from "@postern/shared/domain/history";
import { createAttributeFilter, secretFields } from "@postern/shared/domain/released-attributes";
import { busHealth } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import { logFields } from "@postern/shared/platform/errors";
import { createHealth, type Health, type SharedByProcess } from "@postern/shared/platform/lifecycle";
import { redisHealth } from "@postern/shared/platform/redis";
import { steadyClock, systemClock } from "@postern/shared/platform/time";
import type { BackendsByName } from "./backends/backends-by-name.ts";
import {
  type BackendSet,
  backendMaker,
  createBackendSet,
  createPasswordParts,
  createScriptModules,
} from "./backends/context.ts";
import { createDescribeAccount } from "./backends/describe-account.ts";
import { createHttpBackends } from "./backends/http/context.ts";
import { createListAccounts } from "./backends/list-accounts.ts";
import { createLiveBruteForce } from "./brute-force/context.ts";
import { makeControls } from "./controls/context.ts";
import { createDomainCounts } from "./domain-counts/context.ts";
import { createLiveDomains, type LiveDomains } from "./domains/context.ts";
import type { Foundation } from "./foundation.ts";
import { createMailTokens } from "./mail-tokens/context.ts";
import { createMasterUsers } from "./master-user/master-users.ts";
import { createEngineMetrics } from "./metrics.ts";
import { createOrigins } from "./origins/context.ts";
import { createPolicies } from "./policy/policies.ts";
import { createEngineRehearsals } from "./rehearsal/rehearsals.ts";
import { createResultCacheParts, type ResultCacheParts } from "./result-cache/context.ts";
import { createLiveRisk } from "./risk/context.ts";
import { createLocateAddresses } from "./risk/places.ts";
import { createRollups } from "./rollups/context.ts";
import { createEngineScripts } from "./scripts/context.ts";
import { createSecondFactorParts } from "./second-factors/context.ts";
import { engineSettings, type LiveEngineSettings, liveEngineSettings } from "./settings.ts";
import { createLiveShadow } from "./shadow/context.ts";
import { createEngineSuspensions } from "./suspensions/context.ts";

interface HealthParts extends Pick<Foundation, "base" | "bus" | "redis"> {
  readonly backends: Pick<BackendsByName, "ofSite">;
  readonly resultCache: ResultCacheParts;
}

function createEngineHealth(config: Config, { bus, backends, redis, resultCache, base }: HealthParts): Health {
  const { logger, service, instance } = base;
  const { prefix: keyPrefix } = config.storage.redis;
  // A directory of one customer that is away says nothing about this engine.
  const checkBackends = async (signal: AbortSignal): Promise<void> => {
    const context = { deadline: steadyClock.now() + 1000, signal };
    await Promise.all(backends.ofSite.map((backend) => backend.check(context)));
  };
  return createHealth({
    checks: [
      busHealth(bus, true),
      // An engine without its backend answers temporary failures; without the engine there would be no answer at all.
      { name: "directories", required: false, check: checkBackends },
      // Without it, sign-ins by token are temporary failures; sign-ins by password continue.
      redisHealth({ client: redis, role: "state", required: false, keyPrefix, service, instance }),
      // Without it, more queries reach the backends.
      ...(resultCache.redis === undefined
        ? []
        : [redisHealth({ client: resultCache.redis, role: "cache", required: false, keyPrefix, service, instance })]),
    ],
    onFailure: (name, err) => logger.warn({ check: name, err }, "health check failed"),
  });
}

/** Undefined if there are no policies. */
function makePolicies(
  settings: LiveEngineSettings["policy"],
  { logger, metrics }: Pick<Base, "logger"> & Pick<Foundation, "metrics">,
) {
  if (settings.rules.length === 0) return undefined;
  return createPolicies({
    ...settings,
    onApplied: (applied) => {
      metrics.policyApplied(applied.mode, applied.effect);
      // A policy that permits may match every decision.
      const level = applied.effect === "permit" && applied.mode === "enforce" ? "debug" : "info";
      logger[level](applied, applied.mode === "observe" ? "a policy would have applied" : "a policy applied");
    },
  });
}

/** What decides besides the backends, from settings that a reload replaces all together. */
function rulesMaker(parts: Pick<Base, "audit" | "logger"> & Pick<Foundation, "metrics">) {
  return ({ controls, policy, masterUser }: LiveEngineSettings) => ({
    controls: makeControls(controls, parts),
    policies: makePolicies(policy, parts),
    masterUsers: masterUser && createMasterUsers(masterUser, parts.audit),
  });
}

interface ListParts extends Pick<Foundation, "base" | "metrics"> {
  readonly backends: BackendSet;
  readonly domains: LiveDomains;
}

function makeListAccounts(engineId: string, { base: { logger }, backends, domains, metrics }: ListParts) {
  return createListAccounts({
    backends: () => backends.current,
    listableWithin: (names) => domains.listableWithin(names),
    engineId,
    observe: (outcome, seconds) => metrics.decided("list-accounts", outcome, seconds),
    onUndecided: ({ session, protocol }, err) =>
      logger[err.row.logLevel]({ session, protocol, ...logFields(err) }, "could not list accounts"),
  });
}

/** What records decisions, or compares them, after the answer. */
async function recordersOf(
  config: Config,
  { base, bus, live, metrics, redis, ...parts }: Foundation & Pick<Parameters<typeof createLiveShadow>[2], "backends">,
) {
  const write = historyWriterFromConfig(config, redis, base.instance);
  return {
    history: write && createHistoryRecorder(write, () => systemClock.now(), metrics.historyLost),
    shadow: await createLiveShadow(config, live.current.shadow, { base, redis, ...parts }),
    watches: new DecisionWatches(bus, base, steadyClock),
    domainCounts: createDomainCounts(config, redis, parts.engineId),
  };
}

/** All objects of an engine. Only this file and the `context.ts` of a feature create them. */
export async function createContext(config: Config, shared: SharedByProcess) {
  const base = await baseFromConfig(config, "auth-engine", shared);
  const settings = engineSettings(config);
  const live = { current: liveEngineSettings(config) };
  const verifying = createPasswordParts(config, settings, base);
  const { passwords, decoysOf } = verifying;
  const metrics = createEngineMetrics(base.metrics, base.metricsPrefix, passwords);
  const makeModules = (of: Config) => createScriptModules(of, base);
  const scripts = await createEngineScripts(config, { base, passwords, metrics, live, makeModules });
  const makeBackends = backendMaker({ ...verifying, base, metrics, scripts, httpBackend: createHttpBackends(base) });
  const backends = createBackendSet(await makeBackends(live.current), config.runtime.timeouts.decision, (err) =>
    base.logger.warn({ err }, "closing a backend failed"),
  );
  const makeRules = rulesMaker({ ...base, metrics });
  const rules = { current: makeRules(live.current) };
  const bus = await busFromConfig(config, base);
  const engineId = randomBytes(8).toString("hex");
  const redis = redisFromConfig(config, "state", base);
  const domains = createLiveDomains(config, { base, bus, backends, scripts });
  const { backendsByName } = domains;
  const mailTokens = await createMailTokens(config, settings, { base, metrics, redis });
  const rollups = createRollups(config, redis, engineId);
  const risk = createLiveRisk(config, { base, bus, redis, live, metrics });
  const origins = createOrigins(config, risk?.places, redis, engineId);
  const suspensions = createEngineSuspensions(config, { base, bus, redis, live });
  const bruteForce = createLiveBruteForce(config, { base, bus, redis, risk, onBan: () => rollups.banned() });
  const spellings = (name: string): readonly string[] => domains.current?.spellings(name) ?? [name];
  const resultCache = createResultCacheParts(config, settings, { base, bus, live, backends, spellings });
  const kept = { base, bus, redis, live, engineId, backends: backendsByName, scripts, metrics };
  const recorders = { rollups, origins, ...(await recordersOf(config, kept)) };
  const factors = createSecondFactorParts(config, { ...kept, domains, domainCounts: recorders.domainCounts });
  const features = { mailTokens, bruteForce, risk, suspensions, resultCache, ...recorders, ...factors };
  const releasable = createAttributeFilter(secretFields(config));
  return {
    ...base,
    ...features,
    live,
    rules,
    backends,
    domains,
    backendsByName,
    settings,
    makeRules,
    bus,
    health: createEngineHealth(config, { bus, backends: backendsByName, redis, resultCache, base }),
    passwords,
    redis,
    scripts,
    engineMetrics: metrics,
    decoyDigest: decoysOf.digest,
    passwordNonce: config.storage.redis.password_nonce,
    engineId,
    rehearsing: createEngineRehearsals(config, base, redis),
    listAccounts: makeListAccounts(engineId, { base, backends, domains, metrics }),
    locateAddresses: createLocateAddresses(risk?.places),
    describeAccount: createDescribeAccount(backendsByName, releasable, steadyClock),
    /** Creates backends for other settings, to replace those in use. Seeds a new embedded database. */
    makeBackends,
  };
}

export type EngineContext = Awaited<ReturnType<typeof createContext>>;
