/** A panel of a dashboard: its title, its query and the format of its values. */
export interface Panel {
  readonly title: string;
  readonly query: string;
  /** Name of each series, in Grafana's syntax. */
  readonly legend: string;
  readonly unit: "ops" | "s" | "short" | "bytes" | "percentunit";
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

const level = (metric: string, title: string, unit: Panel["unit"] = "short"): Panel => ({
  title,
  query: metric,
  legend: "{{instance}}",
  unit,
});

/** What `slo.yaml` records. */
const recorded = (record: string, title: string): Panel => ({
  title,
  query: record,
  legend: "{{slo}}",
  unit: "percentunit",
});

/** Every dashboard has these panels of prom-client's default metrics. */
const processPanels: readonly Panel[] = [
  { title: "CPU", query: "rate(process_cpu_seconds_total[$__rate_interval])", legend: "{{instance}}", unit: "short" },
  { title: "Memory", query: "process_resident_memory_bytes", legend: "{{instance}}", unit: "bytes" },
  { title: "Event loop, p99", query: "nodejs_eventloop_lag_p99_seconds", legend: "{{instance}}", unit: "s" },
  rate("service_config_reloads_total", "result", "Configuration reloads"),
  rate("service_audit_records_total", "result", "Audit records"),
];

const bus: readonly Panel[] = [
  rate("service_bus_requests_failed_total", "code", "Failed requests over NATS"),
  rate("service_bus_events_total", "fact", "Irregular events on NATS"),
];

/** The dashboards, by service. Names are those of the default `runtime.naming.identifier`. */
export const boards: Readonly<Record<string, readonly Panel[]>> = {
  gateway: [
    rate("service_logins_total", "result", "Password checks"),
    rate("service_auth_decisions_total", "dialect, outcome", "Decisions sent to API callers"),
    quantile("service_auth_decision_seconds", "dialect", "Decision time, p99"),
    rate("backchannel_caller_auth_total", "outcome", "API callers"),
    rate("service_auth_malformed_total", "dialect", "Malformed requests"),
    level("service_auth_in_flight", "Decisions in progress"),
    level("service_engines_heard", "Engines with heartbeat"),
    rate("service_concurrency_shed_total", "instance", "Rejected above the concurrency limit"),
    rate("service_rate_limited_total", "instance", "Rejected by the rate limit"),
    rate("service_failure_budget_tokens_total", "bucket, result", "Failure budget"),
    level("service_failure_budget_addresses", "Addresses with a failure debt"),
    level("service_mail_backends_down", "Mail servers down"),
    ...bus,
    ...processPanels,
  ],
  "auth-engine": [
    quantile("service_engine_decision_seconds", "outcome", "Decision time, p99"),
    rate("service_directory_seconds_count", "kind, outcome", "Backend queries"),
    quantile("service_directory_seconds", "kind", "Backend time, p99"),
    rate("service_result_cache_reads_total", "level, outcome", "Result caches"),
    level("service_result_cache_memory_entries", "Results cached in memory"),
    rate("service_brute_force_blocked_total", "rule", "Refused because of a ban"),
    rate("service_brute_force_bans_total", "rule", "Bans"),
    rate("service_brute_force_failures_total", "kind", "Failed sign-ins"),
    level("service_brute_force_redis_away", "Counting without Redis"),
    rate("service_control_checks_total", "control, outcome", "Controls"),
    rate("service_policies_applied_total", "mode, effect", "Policies"),
    rate("service_mail_token_checks_total", "outcome", "Access tokens used as passwords"),
    rate("service_script_runs_total", "stage, result", "Site scripts"),
    level("service_hashing_running", "Hashes in progress"),
    level("service_hashing_queued", "Hashes waiting"),
    ...bus,
    ...processPanels,
  ],
  idp: [
    rate("service_idp_sign_ins_total", "step, result", "Sign-in steps"),
    rate("service_idp_oidc_requests_total", "route, result", "OpenID Connect requests"),
    rate("service_idp_oidc_grants_total", "grant, result", "Grants at the token endpoint"),
    rate("service_idp_registrations_total", "result", "Registrations of clients"),
    rate("service_idp_saml_responses_total", "result", "SAML sign-ins"),
    rate("service_idp_saml_refusals_total", "reason", "Rejected SAML messages"),
    rate("service_idp_saml_metadata_refreshes_total", "result", "Reads of SAML metadata"),
    level("service_idp_saml_metadata_age_seconds", "Age of the oldest SAML metadata", "s"),
    level("service_idp_saml_metadata_unusable", "Service providers without usable metadata"),
    rate("service_idp_logout_notices_total", "result", "Logout messages to OpenID Connect clients"),
    rate("service_idp_saml_logouts_total", "result", "Logouts by SAML service providers"),
    rate("service_idp_saml_logout_notices_total", "channel, result", "Logout messages to SAML service providers"),
    rate("service_idp_notices_total", "event, result", "User notifications"),
    ...bus,
    ...processPanels,
  ],
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
    level("service_jobs_waiting", "Jobs waiting"),
    level("service_jobs_active", "Jobs in progress"),
    level("service_jobs_delayed", "Jobs waiting for a retry"),
    rate("service_jobs_retried_total", "type", "Failed runs to be retried"),
    rate("service_jobs_stalled_total", "instance", "Jobs whose worker died"),
    rate("service_notices_total", "channel, result", "Deliveries of user notifications"),
    level("service_notices_waiting", "User notifications waiting"),
    level("service_notices_delayed", "User notifications waiting for a retry"),
    ...processPanels,
  ],
  slo: [
    recorded("postern:errors:ratio_rate5m", "Requests outside the objective, 5 minutes"),
    recorded("postern:errors:ratio_rate1h", "Requests outside the objective, 1 hour"),
    recorded("postern:errors:ratio_rate6h", "Requests outside the objective, 6 hours"),
    recorded("postern:errors:ratio_rate3d", "Requests outside the objective, 3 days"),
    {
      title: "Burn rate, 1 hour (1 uses up the budget in 30 days)",
      query: "postern:errors:ratio_rate1h / on (slo) postern:errors:budget",
      legend: "{{slo}}",
      unit: "short",
    },
    {
      title: "Burn rate, 3 days",
      query: "postern:errors:ratio_rate3d / on (slo) postern:errors:budget",
      legend: "{{slo}}",
      unit: "short",
    },
  ],
};
