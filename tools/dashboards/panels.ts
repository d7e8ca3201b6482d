/** A row of a board: one question, the query that answers it, and how its values are written. */
export interface Panel {
  readonly title: string;
  readonly query: string;
  /** What each line is called, in Grafana's words. */
  readonly legend: string;
  readonly unit: "ops" | "s" | "short" | "bytes";
}

const rate = (metric: string, by: string, title: string): Panel => ({
  title,
  query: `sum by (${by}) (rate(${metric}[$__rate_interval]))`,
  legend: by
    .split(", ")
    .map((label) => `{{${label}}}`)
    .join(" "),
  unit: "ops",
});

const quantile = (metric: string, by: string, title: string): Panel => ({
  title,
  query: `histogram_quantile(0.99, sum by (le, ${by}) (rate(${metric}_bucket[$__rate_interval])))`,
  legend: `{{${by}}}`,
  unit: "s",
});

const level = (metric: string, title: string): Panel => ({
  title,
  query: metric,
  legend: "{{instance}}",
  unit: "short",
});

/** On every board: prom-client's own. */
const processPanels: readonly Panel[] = [
  { title: "CPU", query: "rate(process_cpu_seconds_total[$__rate_interval])", legend: "{{instance}}", unit: "short" },
  { title: "Memory", query: "process_resident_memory_bytes", legend: "{{instance}}", unit: "bytes" },
  { title: "Event loop, p99", query: "nodejs_eventloop_lag_p99_seconds", legend: "{{instance}}", unit: "s" },
  rate("service_config_reloads_total", "result", "Configurations read again"),
  rate("service_audit_records_total", "result", "Audit lines"),
];

const bus: readonly Panel[] = [
  rate("service_bus_requests_failed_total", "code", "Failed requests over the bus"),
  rate("service_bus_events_total", "fact", "What befell messages"),
];

/** The boards, by service. Names are those of the default `runtime.naming.identifier`. */
export const boards: Readonly<Record<string, readonly Panel[]>> = {
  gateway: [
    rate("service_logins_total", "result", "Logins"),
    rate("service_auth_decisions_total", "dialect, outcome", "Decisions given to callers"),
    quantile("service_auth_decision_seconds", "dialect", "Decision time, p99"),
    rate("backchannel_caller_auth_total", "outcome", "Callers checked"),
    rate("service_auth_malformed_total", "dialect", "Malformed requests"),
    level("service_auth_in_flight", "Decisions under way"),
    level("service_engines_heard", "Engines heard"),
    rate("service_concurrency_shed_total", "instance", "Shed by the concurrency gate"),
    rate("service_rate_limited_total", "instance", "Held off by the rate limit"),
    rate("service_failure_budget_tokens_total", "bucket, result", "Failure budget"),
    level("service_failure_budget_addresses", "Addresses that owe tokens"),
    level("service_mail_backends_down", "Mail servers that are down"),
    ...bus,
    ...processPanels,
  ],
  "auth-engine": [
    quantile("service_engine_decision_seconds", "outcome", "Decision time, p99"),
    rate("service_directory_seconds_count", "kind, outcome", "Questions to directories"),
    quantile("service_directory_seconds", "kind", "Directory time, p99"),
    rate("service_result_cache_reads_total", "level, outcome", "Result caches"),
    level("service_result_cache_memory_entries", "Logins in memory"),
    rate("service_brute_force_blocked_total", "rule", "Refused by a ban"),
    rate("service_brute_force_bans_total", "rule", "Bans made"),
    rate("service_brute_force_failures_total", "kind", "Failed logins"),
    level("service_brute_force_redis_away", "Counting without Redis"),
    rate("service_control_checks_total", "control, outcome", "Controls"),
    rate("service_policies_applied_total", "mode, effect", "Policies"),
    rate("service_mail_token_checks_total", "outcome", "Access tokens in place of passwords"),
    rate("service_script_runs_total", "stage, result", "Site scripts"),
    level("service_hashing_running", "Hashes under way"),
    level("service_hashing_queued", "Hashes that wait"),
    ...bus,
    ...processPanels,
  ],
  idp: [rate("service_idp_sign_ins_total", "step, result", "Steps of sign-ins"), ...bus, ...processPanels],
  admin: [
    rate("service_admin_flushes_total", "object, result", "Flushes"),
    rate("service_jwt_requests_total", "endpoint, result", "JWT endpoints"),
    rate("service_jwt_refresh_reuse_total", "instance", "Refresh tokens used twice"),
    rate("service_hook_requests_total", "result", "Custom hooks"),
    ...bus,
    ...processPanels,
  ],
  "jobs-worker": [
    rate("service_jobs_total", "type, result", "Jobs that ended"),
    quantile("service_job_duration_seconds", "type", "Run time, p99"),
    level("service_jobs_waiting", "Jobs that wait"),
    level("service_jobs_active", "Jobs under way"),
    level("service_jobs_delayed", "Jobs that wait for another try"),
    rate("service_jobs_retried_total", "type", "Runs that failed and are repeated"),
    rate("service_jobs_stalled_total", "instance", "Jobs whose worker was gone"),
    rate("service_notices_total", "channel, result", "Attempts to deliver notices"),
    level("service_notices_waiting", "Notices that wait"),
    level("service_notices_delayed", "Notices that wait for another try"),
    ...processPanels,
  ],
};
