import { randomBytes } from "node:crypto";
import {
  type Base,
  baseFromConfig,
  busFromConfig,
  keyRingFromConfig,
  type MailTokens,
  mailTokensFromConfig,
  redisFromConfig,
} from "@postern/shared/assembly";
import type { Bus } from "@postern/shared/bus";
import type { Config } from "@postern/shared/config";
import { logFields } from "@postern/shared/errors";
import { createHealth, type Health } from "@postern/shared/lifecycle";
import { createPasswordVerifier, createWorkGate, type PasswordVerifier } from "@postern/shared/passwords";
import { type RedisClient, redisHealth } from "@postern/shared/redis";
import { systemClock } from "@postern/shared/time";

import { type BruteForceState, createBruteForceState, usesBruteForce } from "./context/brute-force.ts";
import { createResultCacheParts, type ResultCacheParts } from "./context/result-cache.ts";
import { type DecisionRules, rulesMaker } from "./context/rules.ts";
import { createEngineScripts, type EngineScripts } from "./context/scripts.ts";
import { makeSqlDirectory } from "./context/sql.ts";
import type { Directory } from "./directories/directory.ts";
import { createDirectorySet, type DirectorySet } from "./directories/directory-set.ts";
import { createLdapDirectory } from "./directories/ldap/ldap-directory.ts";
import { createLuaDirectory } from "./directories/lua/lua-directory.ts";
import { measuredDirectory } from "./directories/measured.ts";
import { type CheckMailToken, createMailTokenCheck } from "./mail-tokens/check-mail-token.ts";
import { createEngineMetrics, type EngineMetrics } from "./metrics.ts";
import { type AppPasswords, createAppPasswords } from "./mfa-artefacts/app-passwords.ts";
import { createSecondFactors, type SecondFactors } from "./mfa-artefacts/second-factors.ts";
import { type Authenticate, createAuthenticate } from "./rpc/authenticate.ts";
import { createListAccounts, type ListAccounts } from "./rpc/list-accounts.ts";
import {
  type DirectorySettings,
  type EngineSettings,
  engineSettings,
  type LiveEngineSettings,
  liveEngineSettings,
} from "./settings.ts";

/** Everything that an engine is made of. Only this file makes any of it. */
export interface EngineContext extends Base {
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
  readonly secondFactors: SecondFactors;
  readonly appPasswords: AppPasswords;
  /** Directories for other settings, to be put in the place of those in use. Seeds a new embedded database. */
  readonly makeDirectories: (settings: readonly DirectorySettings[]) => Promise<readonly Directory[]>;
}

/** What the check of users' access tokens holds open. */
export interface MailTokenState {
  readonly check: CheckMailToken;
  readonly tokens: MailTokens;
}

/** Recovery codes are rare; what comes in crowds is guessing. */
const maxRecoveryQueue = 16;

interface DirectoryParts {
  readonly base: Base;
  readonly passwords: PasswordVerifier;
  readonly metrics: EngineMetrics;
  readonly scripts: EngineScripts;
}

async function makeDirectory(of: DirectorySettings, { base, passwords, scripts }: DirectoryParts): Promise<Directory> {
  switch (of.kind) {
    case "ldap":
      return createLdapDirectory(of.settings, { clock: systemClock, log: base.logger });
    case "sql":
      return makeSqlDirectory(of, { base, passwords });
    case "lua":
      return createLuaDirectory({ settings: of.settings, runner: scripts.decisions, passwords });
  }
}

function directoryMaker(parts: DirectoryParts): EngineContext["makeDirectories"] {
  const observe = ({ kind }: Directory, _operation: string, outcome: string, seconds: number): void =>
    parts.metrics.directoryAnswered(kind, outcome, seconds);
  return async (all) => {
    const made = await Promise.all(all.map((one) => makeDirectory(one, parts)));
    return made.map((directory) => measuredDirectory(directory, observe));
  };
}

function createMailTokens(
  config: Config,
  { oauthBearer }: EngineSettings,
  { base, metrics, redis }: Pick<DirectoryParts, "base" | "metrics"> & { readonly redis: RedisClient | undefined },
): MailTokenState | undefined {
  if (!oauthBearer.enabled || redis === undefined) return undefined;
  const tokens = mailTokensFromConfig(config, { logger: base.logger, redis });
  const check = createMailTokenCheck({
    verifier: tokens.verifier,
    ignoreCase: oauthBearer.ignoreCase,
    observe: (outcome) => metrics.mailTokenChecked(outcome),
  });
  return { check, tokens };
}

type HealthParts = Pick<EngineContext, "bus" | "directories" | "redis" | "resultCache"> & { readonly base: Base };

function createEngineHealth(config: Config, { bus, directories, redis, resultCache, base }: HealthParts): Health {
  const { logger, service, instance } = base;
  const { prefix } = config.storage.redis;
  const assertConnected = (): void => {
    if (!bus.isConnected()) throw new Error("not connected to NATS");
  };
  const checkDirectories = async (signal: AbortSignal): Promise<void> => {
    const context = { deadline: systemClock.now() + 1000, signal };
    await Promise.all(directories.current.map((directory) => directory.check(context)));
  };
  return createHealth({
    checks: [
      { name: "bus", required: true, check: assertConnected },
      // An engine without its directory answers temporary failures; taking it away would answer nothing at all.
      { name: "directories", required: false, check: checkDirectories },
      // Without it logins by token are temporary failures, and those by password go on.
      ...(redis === undefined
        ? []
        : [redisHealth({ client: redis, role: "state", required: false, prefix, service, instance })]),
      // Without it more questions reach the directories.
      ...(resultCache.redis === undefined
        ? []
        : [redisHealth({ client: resultCache.redis, role: "cache", required: false, prefix, service, instance })]),
    ],
    onFailure: (name, err) => logger.warn({ check: name, err }, "health check failed"),
  });
}

type ListParts = Pick<EngineContext, "directories" | "instance" | "logger"> & Pick<DirectoryParts, "metrics">;

function makeListAccounts({ directories, instance, metrics, logger }: ListParts): ListAccounts {
  return createListAccounts({
    directories: () => directories.current,
    instance,
    observe: (outcome, seconds) => metrics.decided("list-accounts", outcome, seconds),
    onUndecided: ({ session }, err) =>
      logger[err.row.logLevel]({ session, ...logFields(err) }, "could not list accounts"),
  });
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
  const makeRules = rulesMaker({ logger, metrics });
  const rules = { current: makeRules(live.current) };
  const bus = await busFromConfig(config, base);
  const redis = redisIfNeeded(config, settings, base);
  const mailTokens = createMailTokens(config, settings, { base, metrics, redis });
  const bruteForce = createBruteForceState(config, { base, redis });
  const resultCache = createResultCacheParts(config, settings, { base, bus, live: () => live.current.resultCache });
  const authenticate = createAuthenticate({
    stepDeps: () => ({
      ...rules.current,
      directories: directories.current,
      checkMailToken: mailTokens?.check,
      resultCaches: resultCache.caches,
      bruteForce: bruteForce?.current,
      scripts: scripts.siteScripts,
    }),
    afterAnswer: (attempt, decision) => scripts.siteScripts.afterAnswer(attempt, decision),
    authWait: () => live.current.authWait,
    observe: ({ operation }, { outcome }, seconds) => metrics.decided(operation, outcome, seconds),
    onUndecided: ({ session }, err) => logger[err.row.logLevel]({ session, ...logFields(err) }, "could not decide"),
  });
  const instance = randomBytes(8).toString("hex");
  const listAccounts = makeListAccounts({ directories, instance, metrics, logger });
  const health = createEngineHealth(config, { bus, directories, redis, resultCache, base });
  const secondFactors = createSecondFactors({
    directories: () => directories.current,
    ring: keyRingFromConfig(config, "mfa-artefact"),
    hashing: createWorkGate({ concurrency: 1, maxQueued: maxRecoveryQueue }),
  });
  const appPasswords = createAppPasswords({ directories: () => directories.current, clock: systemClock });
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
    secondFactors,
    appPasswords,
    makeDirectories,
  };
}
