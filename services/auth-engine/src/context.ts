import { randomBytes } from "node:crypto";
import { type Base, baseFromConfig, busFromConfig, redisFromConfig } from "@postern/shared/assembly";
import type { Bus } from "@postern/shared/bus";
import type { Config } from "@postern/shared/config";
import type { Health } from "@postern/shared/lifecycle";
import { createPasswordVerifier, type PasswordVerifier } from "@postern/shared/passwords";
import type { RedisClient } from "@postern/shared/redis";

import { type BruteForceState, createBruteForceState, usesBruteForce } from "./context/brute-force.ts";
import { makeAuthenticate, makeListAccounts } from "./context/decisions.ts";
import { directoryMaker, type MakeDirectories } from "./context/directories.ts";
import { createEngineHealth } from "./context/health.ts";
import { createMailTokens, type MailTokenState } from "./context/mail-tokens.ts";
import { createMfaArtefactParts, type MfaArtefactParts } from "./context/mfa-artefacts.ts";
import { createResultCacheParts, type ResultCacheParts } from "./context/result-cache.ts";
import { type DecisionRules, rulesMaker } from "./context/rules.ts";
import { createEngineScripts, type EngineScripts } from "./context/scripts.ts";
import { createDirectorySet, type DirectorySet } from "./directories/directory-set.ts";
import { createEngineMetrics } from "./metrics.ts";
import type { Authenticate } from "./rpc/authenticate.ts";
import type { ListAccounts } from "./rpc/list-accounts.ts";
import { type EngineSettings, engineSettings, type LiveEngineSettings, liveEngineSettings } from "./settings.ts";

/** Everything that an engine is made of. Only this file makes any of it. */
export interface EngineContext extends Base, MfaArtefactParts {
  readonly settings: EngineSettings;
  readonly live: { current: LiveEngineSettings };
  /** What is made of the live settings; a reload swaps it as a whole. */
  readonly rules: { current: DecisionRules };
  readonly makeRules: (settings: LiveEngineSettings) => DecisionRules;
  readonly bus: Bus;
  readonly health: Health;
  readonly directories: DirectorySet;
  readonly passwords: PasswordVerifier;
  /** Absent while nothing that is enabled needs it. */
  readonly redis: RedisClient | undefined;
  /** Absent while `auth.controls.enabled` does not name it. */
  readonly bruteForce: BruteForceState | undefined;
  /** Absent while `auth.oauthbearer` is off. */
  readonly mailTokens: MailTokenState | undefined;
  readonly resultCache: ResultCacheParts;
  readonly scripts: EngineScripts;
  readonly authenticate: Authenticate;
  /** This process among its replicas. */
  readonly instance: string;
  readonly listAccounts: ListAccounts;
  /** Directories for other settings, to be put in the place of those in use. Seeds a new embedded database. */
  readonly makeDirectories: MakeDirectories;
}

function redisIfNeeded(config: Config, { oauthBearer }: EngineSettings, base: Base): RedisClient | undefined {
  return oauthBearer.enabled || usesBruteForce(config) ? redisFromConfig(config, "state", base) : undefined;
}

export async function createContext(config: Config): Promise<EngineContext> {
  const base = baseFromConfig(config, "auth-engine");
  const { logger, prefix } = base;
  const settings = engineSettings(config);
  const live = { current: liveEngineSettings(config) };
  const passwords = createPasswordVerifier(settings.hashing);
  const metrics = createEngineMetrics(base.metrics, prefix, passwords);
  const scripts = await createEngineScripts(config, { base, passwords, metrics, settings: () => live.current.scripts });
  const makeDirectories = directoryMaker({ base, passwords, metrics, scripts });
  const directories = createDirectorySet({
    first: await makeDirectories(live.current.directories),
    lingerMs: config.runtime.timeouts.decision,
    onError: (err) => logger.warn({ err }, "closing a directory failed"),
  });
  const makeRules = rulesMaker({ logger, metrics, audit: base.audit });
  const rules = { current: makeRules(live.current) };
  const bus = await busFromConfig(config, base);
  const redis = redisIfNeeded(config, settings, base);
  const mailTokens = createMailTokens(config, settings, { base, metrics, redis });
  const bruteForce = createBruteForceState(config, { base, bus, redis });
  const resultCache = createResultCacheParts(config, settings, { base, bus, live, directories });
  const artefacts = createMfaArtefactParts(config, { directories: () => directories.current, logger, metrics });
  const decided = {
    logger,
    metrics,
    live,
    rules,
    directories,
    mailTokens,
    bruteForce,
    resultCache,
    scripts,
    artefacts,
  };
  const authenticate = makeAuthenticate(decided);
  const instance = randomBytes(8).toString("hex");
  const listAccounts = makeListAccounts(instance, decided);
  const health = createEngineHealth(config, { bus, directories, redis, resultCache, base });
  return {
    ...base,
    settings,
    live,
    rules,
    makeRules,
    bus,
    health,
    directories,
    passwords,
    redis,
    bruteForce,
    mailTokens,
    resultCache,
    scripts,
    authenticate,
    instance,
    listAccounts,
    ...artefacts,
    makeDirectories,
  };
}
