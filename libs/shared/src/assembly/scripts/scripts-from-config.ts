import type { Config } from "../../config/index.ts";
import type { Metrics } from "../../metrics/registry.ts";
import type { PasswordVerifier } from "../../passwords/verifier.ts";
import type { RedisClient } from "../../redis/client.ts";
import { loadScripts, type ScriptFile, type ScriptFiles } from "../../scripts/load-scripts.ts";
import { isLuaObject } from "../../scripts/lua-value.ts";
import { cacheModule } from "../../scripts/modules/cache-redis.ts";
import { dnsModule } from "../../scripts/modules/dns.ts";
import { createScriptHost, type HostFunctions } from "../../scripts/modules/host.ts";
import { httpModule } from "../../scripts/modules/http.ts";
import { mailModule } from "../../scripts/modules/mail.ts";
import { passwordModule } from "../../scripts/modules/password.ts";
import { createScriptPool, type ScriptPool, type ScriptPoolDeps } from "../../scripts/pool.ts";
import type { Base } from "../base.ts";

/** What a service lends to its scripts. */
export interface ScriptParts {
  readonly base: Base;
  /** Absent: the module `cache` is an error in the script. */
  readonly redis: RedisClient | undefined;
  readonly passwords: Pick<PasswordVerifier, "verify">;
}

/** Makes pools for a configuration. Made once a process, as its metrics are. */
export type MakeScriptPool = (
  config: Config,
  files: readonly ScriptFile[],
  pool: {
    readonly workers: number;
    /** What the service lends beside what every service does; of this configuration. */
    readonly modules?: HostFunctions | undefined;
  },
) => Promise<ScriptPool | undefined>;

type Reporting = Pick<ScriptPoolDeps, "onLog" | "onCount" | "onReplaced">;

function reportingOf(
  config: Config,
  { metrics, prefix, logger }: Pick<Base, "metrics" | "prefix" | "logger">,
): Reporting {
  const { names } = config.auth.backends.lua.modules.metrics;
  const counts = countsOf(metrics, prefix, names);
  const replaced = metrics.counter({
    name: `${prefix}_script_workers_replaced_total`,
    help: "Threads of scripts that were replaced: stuck in a function, worn by a full memory, or ended",
    labels: { reason: ["stuck", "worn", "ended"] },
  });
  return {
    onLog: ({ script, level, message, fields, session }) => {
      const bound = fields !== undefined && isLuaObject(fields) ? { fields } : undefined;
      logger[level]({ script, session, ...bound }, message);
    },
    onCount: (script, name, by) => {
      if (!counts(name, by))
        logger.warn({ script, name }, "a script counts what auth.backends.lua.modules.metrics.names does not name");
    },
    onReplaced: (reason, err) => {
      replaced({ reason }).inc();
      logger.error({ reason, err }, "a thread of scripts was replaced");
    },
  };
}

function countsOf(metrics: Metrics, prefix: string, names: readonly string[]): (name: string, by: number) => boolean {
  if (names.length === 0) return () => false;
  const counter = metrics.counter({
    name: `${prefix}_script_counts_total`,
    help: "What site scripts count, by the names of auth.backends.lua.modules.metrics.names",
    labels: { name: names },
  });
  return (name, by) => {
    if (!names.includes(name) || !(by >= 0)) return false;
    counter({ name }).inc(by);
    return true;
  };
}

export function scriptPoolsFromConfig(first: Config, parts: ScriptParts): MakeScriptPool {
  const { base, redis, passwords } = parts;
  const reporting = reportingOf(first, base);
  return async (config, files, { workers, modules: own = {} }) => {
    if (files.length === 0) return undefined;
    const { backend, modules } = config.auth.backends.lua;
    const { package_path, translations_path, queue_length, cpu_limit, memory_limit } = backend.default;
    const { allowed_hosts, timeout, max_response_bytes } = modules.http;
    const http = { allowedHosts: allowed_hosts, timeoutMs: timeout, maxResponseBytes: max_response_bytes };
    const mail = {
      allowedServers: modules.mail.allowed_servers,
      timeoutMs: modules.mail.timeout,
      maxMessageBytes: modules.mail.max_message_bytes,
    };
    const read: ScriptFiles = { files, packagePath: package_path, translationsPath: translations_path };
    return createScriptPool({
      set: await loadScripts(read),
      limits: { workers, maxInFlight: queue_length, cpuLimitMs: cpu_limit, memoryLimitBytes: memory_limit },
      host: createScriptHost(
        httpModule(() => http),
        dnsModule({ servers: modules.dns.resolvers, timeoutMs: modules.dns.timeout }),
        passwordModule(passwords),
        mailModule(mail),
        own,
        redis === undefined ? {} : cacheModule(redis, config.storage.redis.prefix),
      ),
      ...reporting,
    });
  };
}
