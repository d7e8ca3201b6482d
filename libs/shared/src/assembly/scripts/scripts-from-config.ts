import type { PasswordVerifier } from "../../domain/passwords/verifier.ts";
import { loadScripts, type ScriptFile } from "../../domain/scripts/load-scripts.ts";
import { isLuaObject } from "../../domain/scripts/lua-value.ts";
import { cacheModule } from "../../domain/scripts/modules/cache-redis.ts";
import { dnsModule } from "../../domain/scripts/modules/dns.ts";
import { createScriptHost, type HostFunctions } from "../../domain/scripts/modules/host.ts";
import { httpModule } from "../../domain/scripts/modules/http.ts";
import { mailModule } from "../../domain/scripts/modules/mail.ts";
import { passwordModule } from "../../domain/scripts/modules/password.ts";
import { createScriptPool, type ScriptPool, type ScriptPoolDeps } from "../../domain/scripts/pool.ts";
import type { Config } from "../../platform/config/index.ts";
import type { Metrics } from "../../platform/metrics/registry.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import type { Base } from "../base.ts";

/** Creates script pools for a configuration. Created once per process, because it registers metrics. */
export type MakeScriptPool = (
  config: Config,
  files: readonly ScriptFile[],
  pool: {
    readonly workers: number;
    /** Modules in addition to those of every service; they depend on the configuration. */
    readonly modules?: HostFunctions | undefined;
  },
) => Promise<ScriptPool | undefined>;

function reportingOf(
  config: Config,
  { metrics, metricsPrefix, logger }: Pick<Base, "metrics" | "metricsPrefix" | "logger">,
): Pick<ScriptPoolDeps, "onLog" | "onCount" | "onReplaced"> {
  const { names } = config.auth.backends.lua.modules.metrics;
  const counts = countsOf(metrics, metricsPrefix, names);
  const replaced = metrics.counter({
    name: `${metricsPrefix}_script_workers_replaced_total`,
    help: "Script threads that were replaced: stuck in a function, worn by full memory, or ended",
    labels: { reason: ["stuck", "worn", "ended"] },
  });
  return {
    onLog: ({ script, level, message, fields, session }) => {
      const bound = fields !== undefined && isLuaObject(fields) ? { fields } : undefined;
      logger[level]({ script, session, ...bound }, message);
    },
    onCount: (script, name, by) => {
      if (!counts(name, by))
        logger.warn({ script, name }, "script counter is not listed in auth.backends.lua.modules.metrics.names");
    },
    onReplaced: (reason, err) => {
      replaced({ reason }).inc();
      logger.error({ reason, err }, "script thread was replaced");
    },
  };
}

function countsOf(
  metrics: Metrics,
  metricsPrefix: string,
  names: readonly string[],
): (name: string, by: number) => boolean {
  if (names.length === 0) return () => false;
  const counter = metrics.counter({
    name: `${metricsPrefix}_script_counts_total`,
    help: "Counters of site scripts, by the names in auth.backends.lua.modules.metrics.names",
    labels: { name: names },
  });
  return (name, by) => {
    if (!names.includes(name) || !(by >= 0)) return false;
    counter({ name }).inc(by);
    return true;
  };
}

/** Instead of 0, which means no bound in configurations that were imported. */
const usualQueueLength = 1000;

/** @param redis if absent, calls of the module `cache` fail in the script */
export function scriptPoolsFromConfig(
  first: Config,
  base: Base,
  redis: RedisClient | undefined,
  passwords: Pick<PasswordVerifier, "verify">,
): MakeScriptPool {
  const reporting = reportingOf(first, base);
  return async (config, files, { workers, modules: own = {} }) => {
    if (files.length === 0) return undefined;
    const { backend, modules } = config.auth.backends.lua;
    const { package_path, translations_path, queue_length, cpu_limit, memory_limit } = backend.default;
    return createScriptPool({
      set: await loadScripts(files, package_path, translations_path),
      limits: {
        workers,
        maxInFlight: queue_length === 0 ? usualQueueLength : queue_length,
        cpuLimitMs: cpu_limit,
        memoryLimitBytes: memory_limit,
      },
      host: createScriptHost(
        httpModule(modules.http),
        dnsModule(modules.dns),
        passwordModule(passwords),
        mailModule(modules.mail),
        own,
        redis === undefined ? {} : cacheModule(redis, config.storage.redis.prefix),
      ),
      ...reporting,
    });
  };
}
