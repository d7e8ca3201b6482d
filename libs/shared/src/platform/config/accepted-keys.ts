import { messages } from "./messages.ts";
import { didYouMean, type Report } from "./problem.ts";
import { formatPath, type Path } from "./tree/walk.ts";

/**
 * Keys of Nauthilus's tree that have no effect here. `*` matches one name or position, `**` the key itself and everything
 * below it. Remove a row when its key is added to the schema.
 */
export const acceptedKeys: readonly string[] = [
  "env",
  "patch.**",
  "plugins.**",
  "runtime.process.**",
  "runtime.clients.**",
  "runtime.servers.http.http3",
  "runtime.servers.http.compression.**",
  "runtime.servers.http.keep_alive.**",
  "runtime.servers.http.cors.**",
  "runtime.servers.http.security_txt.**",
  "runtime.servers.http.tls.skip_verify",
  "runtime.servers.http.middlewares.logging",
  "runtime.servers.http.middlewares.recovery",
  "runtime.servers.http.middlewares.trusted_proxies",
  "runtime.servers.http.middlewares.response_compression",
  "runtime.servers.http.middlewares.metrics",
  "runtime.timeouts.singleflight_work",
  // Log lines are always JSON.
  "observability.log.json",
  "observability.log.color",
  "observability.log.add_source",
  "observability.log.debug_modules",
  // Names of services are fixed, W3C Trace Context is the only propagation, and Redis is always traced.
  "observability.tracing.service_name",
  "observability.tracing.propagators",
  "observability.tracing.enable_redis",
  "observability.tracing.log_export_results",
  "observability.profiles.**",
  "observability.metrics.monitor_connections",
  "observability.metrics.prometheus_timer.**",
  "storage.redis.pool_size",
  "storage.redis.idle_pool_size",
  "storage.redis.pool_timeout",
  "storage.redis.pool_fifo",
  "storage.redis.conn_max_idle_time",
  "storage.redis.protocol",
  "storage.redis.negative_cache_ttl",
  "storage.redis.replica.**",
  "storage.redis.cluster.route_by_latency",
  "storage.redis.cluster.route_randomly",
  "storage.redis.cluster.route_reads_to_replicas",
  "storage.redis.cluster.max_redirects",
  "storage.redis.cluster.read_timeout",
  "storage.redis.cluster.write_timeout",
  "storage.redis.account_local_cache.**",
  "storage.redis.batching.**",
  ...["bcast", "noloop", "opt_in", "opt_out", "prefixes"].map((key) => `storage.redis.client_tracking.${key}`),
  "auth.pipeline.password_history.**",
  "auth.backends.lua.backend.default.environment_vm_pool_size",
  "auth.backends.lua.backend.default.subject_vm_pool_size",
  "auth.backends.lua.backend.default.hook_vm_pool_size",
  "auth.backends.lua.backend.default.ip_scoping_v4_cidr",
  "auth.backends.lua.backend.default.ip_scoping_v6_cidr",
  "auth.backends.lua.backend.default.init_script_path",
  "auth.backends.lua.backend.search.*.backend_name",
  "auth.controls.lua.hooks.*.http_alias_location",
  // A search names its pool, queues have their own length, and an operation on a broken connection is repeated once, immediately.
  ...["default", "pools.*"].flatMap((pool) =>
    ["pool_only", "number_of_workers", "retry_max", "retry_base", "retry_max_backoff", "include_raw_result"].map(
      (key) => `auth.backends.ldap.${pool}.${key}`,
    ),
  ),
  "auth.backends.remote.**",
  "auth.policy.checks.**",
  "auth.policy.policies.*.stage",
  "auth.policy.policies.*.require_checks.**",
  "auth.policy.policies.*.then.response_marker",
  "auth.policy.policies.*.then.response_message.detail",
  "auth.policy.policies.*.then.obligations.**",
  "auth.policy.policies.*.then.advice.**",
  "auth.policy.policies.*.then.control.**",
  "auth.policy.policies.*.then.fsm_event_marker",
  "auth.policy.policies.*.then.outcome_marker",
  "auth.policy.scheduler_guards.**",
  "auth.policy.sets.time_windows.**",
  "auth.policy.request_headers.**",
  "auth.policy.request_metadata.**",
  "auth.policy.attribute_exports.**",
  "auth.policy.report.**",
  "auth.services.enabled",
  "auth.services.backend_health_checks.targets.*.tls_mode",
  "auth.services.backend_health_checks.targets.*.deep_check",
  "auth.services.backend_health_checks.targets.*.test_username",
  "auth.services.backend_health_checks.targets.*.test_password",
  "auth.services.backend_health_checks.targets.*.auth_mechanism",
  "auth.controls.brute_force.learning",
  "auth.controls.brute_force.pw_history_for_known_accounts",
  "auth.controls.brute_force.ip_scoping.tolerations_ipv6_cidr",
  "auth.controls.brute_force.custom_tolerations.*.tolerate_ttl",
  "identity.frontend.encryption_secret",
  "identity.frontend.assets.**",
  "identity.frontend.security_headers.**",
  "identity.mfa.webauthn.user_verification",
  "identity.oidc.clients.*.remember_me_ttl",
  // `key: { file: … }` replaces it: every secret already has a variable of that name.
  "identity.saml.service_providers.*.logout_redirect_uri",
  "identity.saml.service_providers.*.remember_me_ttl",
];

/** `covered`: accepted as a whole; `above`: only something below is accepted; `none`: not of that tree. */
type Coverage = "covered" | "above" | "none";

export function createAcceptedKeys(rows: readonly string[] = acceptedKeys) {
  const patterns = rows.map((row) => row.split("."));
  return {
    coverage: (path: Path): Coverage => {
      const found = new Set(patterns.map((pattern) => cover(pattern, path)));
      if (found.has("covered")) return "covered";
      return found.has("above") ? "above" : "none";
    },
    /** Accepted names directly under a path, for suggestions. */
    namesBelow: (path: Path): readonly string[] =>
      patterns
        .filter((pattern) => cover(pattern, path) === "above")
        .map((pattern) => pattern[path.length] ?? "")
        .filter((name) => !name.includes("*")),
  };
}

function cover(pattern: readonly string[], path: Path): Coverage {
  const fixed = pattern.at(-1) === "**" ? pattern.slice(0, -1) : pattern;
  const shared = Math.min(fixed.length, path.length);
  const agrees = fixed.slice(0, shared).every((part, index) => part === "*" || part === String(path[index]));
  if (!agrees) return "none";
  if (path.length < fixed.length) return "above";
  return path.length === fixed.length || fixed.length < pattern.length ? "covered" : "none";
}

/** Which key of this product has the meaning of a key of `acceptedKeys`, as a sentence about that key; undefined if none has. */
export function movedReason(path: Path): string | undefined {
  return formatPath(path).startsWith("auth.backends.remote") ? messages.movedToHttp : undefined;
}

/** Keys of the compatible product's tree are warned about once each; `x-…` roots hold anchors; all else is refused. */
export function createUnknownKeys(problem: Report, warning: Report) {
  const accepted = createAcceptedKeys();
  /** `siblings`: the names that the schema has at this place. */
  return function visit(path: Path, value: unknown, siblings: readonly string[]): void {
    const name = String(path.at(-1));
    if (path.length === 1 && name.startsWith("x-")) return;
    const coverage = accepted.coverage(path);
    if (coverage === "covered") {
      warning(formatPath(path), movedReason(path) ?? messages.noEffect);
    } else if (coverage === "above" && typeof value === "object") {
      for (const [key, item] of Object.entries(value ?? {}))
        visit([...path, Array.isArray(value) ? Number(key) : key], item, []);
    } else if (path.length === 1 && name === "includes") {
      problem(formatPath(path), messages.includes);
    } else {
      const known = [...siblings, ...accepted.namesBelow(path.slice(0, -1))];
      problem(formatPath(path), messages.unknownKey, didYouMean(name, known));
    }
  };
}
