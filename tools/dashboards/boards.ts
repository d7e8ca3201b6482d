import type { Rows } from "./board.ts";
import { overview } from "./overview.ts";
import { badBelow, badFrom, level, type Options, type Panel, quantile, rate } from "./panels.ts";

/** More than nothing, for what should never happen. */
const never = { thresholds: badFrom(0.001) };
const shouldBeZero = { thresholds: badFrom(1) };
const twoWeeks = 14 * 86_400;

/** prom-client's default metrics; one process has them only once. */
const ofProcess = (
  title: string,
  query: string,
  { description, ...options }: Omit<Panel, "title" | "series">,
): Panel => ({
  title,
  description: `${description}. If all services are one process, the gateway's board has it`,
  series: [{ query, legend: "{{instance}}" }],
  ...options,
});

const everyService: Rows = {
  "Configuration and logs": [
    rate("service_config_reloads_total", "result", "Configuration reloads"),
    rate("service_audit_records_total", "result", "Audit records"),
    rate("service_audit_history_records_total", "result", "Audit records copied for the console"),
    rate("service_log_lines_dropped_total", "instance", "Log lines dropped", never),
    level("service_certificate_remaining_seconds", "First certificate expires in", {
      unit: "s",
      thresholds: badBelow(twoWeeks),
    }),
    rate("service_trace_spans_total", "result", "Spans of traces"),
  ],
  Process: [
    ofProcess("CPU", "rate(process_cpu_seconds_total[$__rate_interval])", {
      description: "Processor cores in use",
      unit: "short",
    }),
    ofProcess("Memory", "process_resident_memory_bytes", { description: "Resident memory", unit: "bytes" }),
    ofProcess("Event loop, p99", "nodejs_eventloop_lag_p99_seconds", {
      description: "How late timers are: above 0.1 s, something computes for too long",
      unit: "s",
      thresholds: badFrom(0.1),
    }),
    {
      ...level("service_build_info", "Versions"),
      series: [
        { query: "sum by (version, node) (service_build_info)", legend: "Postern {{version}}, Node.js {{node}}" },
      ],
    },
  ],
};

const bus: readonly Panel[] = [
  rate("service_bus_requests_failed_total", "code", "Failed requests over NATS"),
  rate("service_bus_events_total", "fact", "Irregular events on NATS"),
];
const engines = level("service_engines_heard", "Engines with heartbeat", { thresholds: badBelow(1) });
const unverifiable = rate("service_unverifiable_passwords_total", "reason", "Stored passwords that cannot be verified");
const workersReplaced = rate("service_script_workers_replaced_total", "reason", "Script threads replaced");

const gateway: Rows = {
  Decisions: [
    rate("service_logins_total", "result", "Password checks", { isStacked: true }),
    rate("service_auth_decisions_total", "dialect, outcome", "Decisions sent to API callers"),
    quantile("service_auth_decision_seconds", "dialect", "Decision time, p99", { thresholds: badFrom(1) }),
    level("service_auth_in_flight", "Decisions in progress"),
    rate("service_auth_policy_requests_total", "command, outcome", "Requests of the auth-policy protocol"),
    quantile("service_auth_policy_seconds", "command", "Time of the auth-policy protocol, p99"),
    level("service_password_guesses_in_flight", "Passwords in verification for the JWT endpoint"),
  ],
  "Callers and client addresses": [
    rate("backchannel_caller_auth_total", "outcome", "Authentication of API callers"),
    rate("service_caller_requests_total", "caller, result", "Requests by API caller"),
    rate("service_auth_malformed_total", "dialect", "Malformed requests"),
    rate("service_client_address_ignored_total", "dialect, reason", "Client addresses that were ignored", never),
    rate("service_proxy_protocol_rejected_total", "reason", "Connections without a valid PROXY protocol header"),
  ],
  Limits: [
    rate("service_concurrency_shed_total", "instance", "Rejected above the concurrency limit", never),
    rate("service_compressed_bodies_shed_total", "instance", "Compressed bodies rejected"),
    rate("service_rate_limited_total", "instance", "Rejected by the rate limit"),
    rate("service_failure_budget_tokens_total", "bucket, result", "Failure budget"),
    level("service_failure_budget_addresses", "Addresses with a failure debt"),
    level("service_failure_budget_local", "Failure budgets without Redis", shouldBeZero),
  ],
  "Mail servers and other services": [
    {
      ...level("service_mail_backends_up", "Mail servers"),
      series: [
        { query: "service_mail_backends_up", legend: "up {{instance}}" },
        { query: "service_mail_backends_down", legend: "down {{instance}}" },
      ],
      description: "Mail servers behind the proxy dialect, as seen by each gateway",
    },
    rate("service_mail_backend_checks_total", "protocol, outcome", "Health checks of mail servers"),
    rate("service_region_requests_total", "outcome", "Requests that concern another region"),
    rate("service_forward_failures_total", "owner, reason", "Requests that idp or admin did not answer", never),
    engines,
    ...bus,
  ],
  ...everyService,
};

const engine: Rows = {
  Decisions: [
    quantile("service_engine_decision_seconds", "outcome", "Decision time, p99"),
    rate("service_policies_applied_total", "mode, effect", "Policies"),
    rate("service_control_checks_total", "control, outcome", "Controls"),
    rate("service_rbl_answers_total", "outcome", "Block list answers"),
    rate("service_mail_token_checks_total", "outcome", "Access tokens used as passwords"),
    rate("service_app_password_checks_total", "outcome", "App passwords"),
    rate("service_app_password_uses_total", "result", "Updates of the last use of app passwords"),
    level("service_domain_records", "Domain records in memory"),
    rate("service_domain_source_failures_total", "instance", "Failed queries for domain records"),
    level("service_suspended_accounts", "Suspended accounts"),
    rate("service_suspended_refusals_total", "instance", "Sign-ins to suspended accounts"),
    rate("service_decision_history_lost_total", "instance", "Decisions missing from the history", never),
  ],
  Backends: [
    rate("service_directory_seconds_count", "kind, outcome", "Backend queries"),
    quantile("service_directory_seconds", "kind", "Backend time, p99", { thresholds: badFrom(1) }),
    rate("service_remote_backend_faults_total", "fault", "Requests that another server did not decide", never),
    level("service_hashing_running", "Hashes in progress"),
    level("service_hashing_queued", "Hashes waiting"),
    unverifiable,
    rate("service_shadow_requests_total", "result, protocol", "Requests compared with the shadow"),
    rate("service_shadow_differences_total", "kind, protocol", "Differences of the shadow"),
  ],
  "Brute-force protection": [
    rate("service_brute_force_failures_total", "kind", "Failed sign-ins"),
    rate("service_brute_force_bans_total", "rule", "Bans"),
    rate("service_brute_force_blocked_total", "rule", "Refused because of a ban"),
    rate("service_brute_force_observed_total", "rule", "Would be refused or delayed (mode: observe)"),
    rate("service_brute_force_slowed_total", "source", "Delayed by the account delay"),
    rate("service_brute_force_degraded_total", "question", "Not answered by Redis", never),
    level("service_brute_force_redis_away", "Counting without Redis", shouldBeZero),
    level("service_brute_force_tracked", "Bans kept in memory until Redis reports a change"),
  ],
  "Stolen passwords": [
    rate("service_risk_sign_ins_total", "mode, level", "Correct passwords by suspicion"),
    rate("service_risk_signals_total", "signal", "Signals"),
    rate("service_risk_refusals_total", "mode, response", "Correct passwords that were refused"),
    rate("service_risk_notices_total", "result", "Notifications of suspicious sign-ins"),
    rate("service_risk_facts_lost_total", "instance", "Sign-ins that were not remembered", never),
  ],
  "Result caches": [
    rate("service_result_cache_reads_total", "level, outcome", "Reads"),
    rate("service_result_cache_writes_total", "level, outcome", "Writes"),
    rate("service_result_cache_flushes_total", "instance", "Flushes of accounts"),
    level("service_result_cache_memory_entries", "Results cached in memory"),
    level("service_result_cache_memory_bytes", "Memory of cached results", { unit: "bytes" }),
  ],
  Scripts: [
    rate("service_script_runs_total", "stage, result", "Runs"),
    workersReplaced,
    rate("service_script_counts_total", "name", "Counters of site scripts"),
  ],
  Bus: bus,
  ...everyService,
};

const idp: Rows = {
  "Sign-ins": [
    rate("service_idp_sign_ins_total", "step, result", "Sign-in steps"),
    rate("service_idp_notices_total", "event, result", "User notifications"),
    rate("service_idp_mail_settings_total", "format, result", "Settings of mail clients"),
  ],
  "OpenID Connect": [
    rate("service_idp_oidc_requests_total", "route, result", "Requests"),
    rate("service_idp_oidc_grants_total", "grant, result", "Grants at the token endpoint"),
    rate("service_idp_registrations_total", "result", "Registrations of clients"),
    rate("service_idp_logout_notices_total", "result", "Logout messages to clients"),
  ],
  SAML: [
    rate("service_idp_saml_responses_total", "result", "Sign-ins"),
    rate("service_idp_saml_refusals_total", "reason", "Rejected messages"),
    rate("service_idp_saml_metadata_refreshes_total", "result", "Reads of metadata"),
    level("service_idp_saml_metadata_age_seconds", "Age of the oldest metadata", { unit: "s" }),
    level("service_idp_saml_metadata_unusable", "Service providers without usable metadata", shouldBeZero),
    rate("service_idp_saml_logouts_total", "result", "Logouts by service providers"),
    rate("service_idp_saml_logout_notices_total", "channel, result", "Logout messages to service providers"),
  ],
  Bus: [engines, ...bus],
  ...everyService,
};

const admin: Rows = {
  Requests: [
    rate("service_admin_flushes_total", "object, result", "Flushes"),
    rate("service_admin_suspensions_total", "operation, result", "Accounts suspended and resumed"),
    level("service_admin_watches", "Watches of decisions"),
    rate("service_admin_watched_decisions_total", "result", "Watched decisions"),
    rate("service_jwt_requests_total", "endpoint, result", "JWT endpoints"),
    rate("service_jwt_refresh_reuse_total", "instance", "Refresh tokens used twice", never),
    rate("service_mfa_backchannel_requests_total", "operation, result", "Requests for second factors"),
  ],
  "Custom hooks": [rate("service_hook_requests_total", "result", "Requests"), workersReplaced, unverifiable],
  Bus: [engines, ...bus],
  ...everyService,
};

/** One worker exchanges messages with the other regions; the gauges of the rest are 0. */
const ofRegion = (metric: string, title: string, options: Options = {}): Panel => ({
  ...level(metric, title, options),
  series: [{ query: `max by (region) (${metric})`, legend: "{{region}}" }],
});

const jobsWorker: Rows = {
  Jobs: [
    rate("service_jobs_total", "type, result", "Jobs that ended"),
    quantile("service_job_duration_seconds", "type", "Run time, p99"),
    level("service_jobs_waiting", "Jobs waiting", { thresholds: badFrom(100) }),
    level("service_jobs_active", "Jobs in progress"),
    level("service_jobs_delayed", "Jobs waiting for a retry"),
    rate("service_jobs_retried_total", "type", "Failed runs to be retried"),
    rate("service_jobs_stalled_total", "instance", "Jobs whose worker died"),
  ],
  "User notifications": [
    rate("service_notices_total", "channel, result", "Deliveries"),
    level("service_notices_waiting", "User notifications waiting", { thresholds: badFrom(100) }),
    level("service_notices_delayed", "User notifications waiting for a retry"),
  ],
  Regions: [
    ofRegion("service_region_link_up", "Links to other regions", { thresholds: badBelow(1) }),
    ofRegion("service_region_lag_seconds", "Age of what was applied", { unit: "s" }),
    ofRegion("service_region_waiting", "Entries waiting", { thresholds: badFrom(1000) }),
    rate("service_region_applied_total", "region", "Entries applied"),
    rate("service_region_dropped_total", "region, reason", "Messages dropped", never),
  ],
  Bus: [engines, ...bus],
  ...everyService,
};

/** What `slo.yaml` records. */
const recorded = (record: string, window: string): Panel => ({
  title: `Requests outside the objective, ${window}`,
  description: "Share of the requests that failed or were too slow. Nothing is shown without requests",
  series: [{ query: record, legend: "{{slo}}" }],
  unit: "percentunit",
});

const burn = (window: string, record: string, thresholds: Panel["thresholds"]): Panel => ({
  title: `Burn rate, ${window}`,
  description: "1 uses up the error budget within 30 days, 14.4 within two. The line is the limit of the alert",
  series: [{ query: `${record} / on (slo) postern:errors:budget`, legend: "{{slo}}" }],
  unit: "short",
  ...(thresholds && { thresholds }),
});

const slo: Rows = {
  "Error budget": [
    {
      title: "Error budget left of 30 days",
      description: "100 %: no errors within 30 days; below 0 %: the objective is missed. Prometheus must keep 30 days",
      series: [{ query: "postern:errors:budget_left", legend: "{{slo}}" }],
      unit: "percentunit",
      thresholds: badBelow(0),
    },
    recorded("postern:errors:ratio_rate30d", "30 days"),
    burn("1 hour", "postern:errors:ratio_rate1h", badFrom(14.4)),
    burn("3 days", "postern:errors:ratio_rate3d", badFrom(1)),
  ],
  "Share of bad requests": [
    recorded("postern:errors:ratio_rate5m", "5 minutes"),
    recorded("postern:errors:ratio_rate1h", "1 hour"),
    recorded("postern:errors:ratio_rate6h", "6 hours"),
    recorded("postern:errors:ratio_rate3d", "3 days"),
  ],
};

/** The dashboards, by service. Names are those of the default `runtime.naming.identifier`. */
export const boards: Readonly<Record<string, Rows>> = {
  overview,
  gateway,
  "auth-engine": engine,
  idp,
  admin,
  "jobs-worker": jobsWorker,
  slo,
};
