import { randomBytes } from "node:crypto";
import { type Base, baseFromConfig, busFromConfig, redisFromConfig } from "@postern/shared/assembly";
import type { PasswordVerifier } from "@postern/shared/domain/passwords";
import type { Bus } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import type { Health, SharedByProcess } from "@postern/shared/platform/lifecycle";
import type { RedisClient } from "@postern/shared/platform/redis";
import { type BackendSet, createBackendSet } from "./backends/backend-set.ts";
import { createLiveBruteForce, type LiveBruteForce } from "./brute-force/context.ts";
import { usesBruteForce } from "./brute-force/settings.ts";
import { backendMaker, type MakeBackends } from "./context/backends.ts";
import { makeAuthenticate, makeDescribeAccount, makeListAccounts } from "./context/decisions.ts";
import { createEngineHealth } from "./context/health.ts";
import { createHistoryThread, type HistoryThread } from "./context/history-thread.ts";
import { createMailTokens, type MailTokenState } from "./context/mail-tokens.ts";
import { createMfaCredentialParts, type MfaCredentialParts } from "./context/mfa-credentials.ts";
import { createPasswordParts } from "./context/passwords.ts";
import { type DecisionRules, rulesMaker } from "./context/rules.ts";
import { createEngineScripts, type EngineScripts } from "./context/scripts.ts";
import type { AuthPolicy } from "./dovecot/auth-policy.ts";
import { makeAuthPolicy } from "./dovecot/context.ts";
import { createEngineMetrics } from "./metrics.ts";
import { createResultCacheParts, type ResultCacheParts } from "./result-cache/context.ts";
import { createLiveRisk, type LiveRisk } from "./risk/context.ts";
import type { Authenticate } from "./rpc/authenticate.ts";
import type { DescribeAccount } from "./rpc/describe-account.ts";
import type { ListAccounts } from "./rpc/list-accounts.ts";
import { type EngineSettings, engineSettings, type LiveEngineSettings, liveEngineSettings } from "./settings.ts";

/** All objects of an engine. Only this file, those in `context/` and the `context.ts` of a feature create them. */
export interface EngineContext extends Base, MfaCredentialParts {
  readonly settings: EngineSettings;
  readonly live: { current: LiveEngineSettings };
  /** Objects built from the live settings; a reload replaces all of them together. */
  readonly rules: { current: DecisionRules };
  readonly makeRules: (settings: LiveEngineSettings) => DecisionRules;
  readonly bus: Bus;
  readonly health: Health;
  readonly backends: BackendSet;
  readonly passwords: PasswordVerifier;
  /** Absent if no enabled feature needs it. */
  readonly redis: RedisClient | undefined;
  /** Absent if `auth.controls.enabled` does not list brute-force protection. */
  readonly bruteForce: LiveBruteForce | undefined;
  /** Absent if `auth.oauthbearer` is disabled. */
  readonly mailTokens: MailTokenState | undefined;
  /** Absent without brute-force protection. */
  readonly risk: LiveRisk | undefined;
  readonly resultCache: ResultCacheParts;
  readonly scripts: EngineScripts;
  /** Absent while no history is recorded. */
  readonly history: HistoryThread | undefined;
  readonly authenticate: Authenticate;
  readonly authPolicy: AuthPolicy;
  /** Addresses this engine on the bus: heartbeats, and the pages of open listings. Random, because it is part of a subject. */
  readonly engineId: string;
  readonly listAccounts: ListAccounts;
  readonly describeAccount: DescribeAccount;
  /** Creates backends for other settings, to replace those in use. Seeds a new embedded database. */
  readonly makeBackends: MakeBackends;
}

function redisIfNeeded(config: Config, { oauthBearer }: EngineSettings, base: Base): RedisClient | undefined {
  return oauthBearer.enabled || usesBruteForce(config) ? redisFromConfig(config, "state", base) : undefined;
}

export async function createContext(config: Config, shared: SharedByProcess): Promise<EngineContext> {
  const base = await baseFromConfig(config, "auth-engine", shared);
  const { logger, metricsPrefix } = base;
  const settings = engineSettings(config);
  const live = { current: liveEngineSettings(config) };
  const hashing = createPasswordParts(config, settings, base);
  const metrics = createEngineMetrics(base.metrics, metricsPrefix, hashing.passwords);
  const scriptSettings = () => live.current.scripts;
  const scripts = await createEngineScripts(config, { base, ...hashing, metrics, settings: scriptSettings });
  const makeBackends = backendMaker({ base, metrics, scripts, ...hashing });
  const first = await makeBackends(live.current);
  const onError = (err: unknown): void => logger.warn({ err }, "closing a backend failed");
  const backends = createBackendSet({ first, lingerMs: config.runtime.timeouts.decision, onError });
  const makeRules = rulesMaker({ ...base, metrics });
  const rules = { current: makeRules(live.current) };
  const bus = await busFromConfig(config, base);
  const redis = redisIfNeeded(config, settings, base);
  const mailTokens = createMailTokens(config, settings, { base, metrics, redis });
  const risk = createLiveRisk(config, { base, bus, redis, live, metrics });
  const bruteForce = createLiveBruteForce(config, { base, bus, redis, risk });
  const resultCache = createResultCacheParts(config, settings, { base, bus, live, backends });
  const mfaCredentials = createMfaCredentialParts(config, { backends: () => backends.current, logger, metrics });
  const history = createHistoryThread(config, {
    instance: base.instance,
    onLost: (count) => metrics.historyLost(count),
    onError: (err) => logger.error({ err }, "the thread of the decision history failed"),
  });
  const kept = { live, rules, backends, mailTokens, bruteForce, risk, resultCache, scripts, history };
  const decided = { ...base, ...kept, metrics, mfaCredentials, decoysOf: hashing.decoysOf };
  const engineId = randomBytes(8).toString("hex");
  const listAccounts = makeListAccounts(engineId, decided);
  const health = createEngineHealth(config, { bus, backends, redis, resultCache, base });
  return {
    ...base,
    ...kept,
    settings,
    makeRules,
    bus,
    health,
    passwords: hashing.passwords,
    redis,
    authenticate: makeAuthenticate(decided),
    authPolicy: makeAuthPolicy(config, { bruteForce, rules, history }),
    engineId,
    listAccounts,
    describeAccount: makeDescribeAccount(config, backends),
    ...mfaCredentials,
    makeBackends,
  };
}
