import { jobs, type Rows } from "./board.ts";
import { badBelow, badFrom, meaningOf, quantile, rate, stat, worseFrom } from "./panels.ts";

const rateOf = (selector: string): string => `sum(rate(${selector}[$__rate_interval]))`;

/** The first board: whether the service works, since when not, and whether it is being attacked. */
export const overview: Rows = {
  "State of the service": [
    stat("Processes down", `sum by (job) (1 - up{job=~"${jobs.join("|")}"})`, {
      description: "Processes that Prometheus cannot read, by service. Runbook: docs/operate/outages.md",
      thresholds: badFrom(1),
      unit: "short",
      legend: "{{job}}",
    }),
    stat("Alerts that fire", 'count(ALERTS{alertname=~"Postern.+",alertstate="firing"}) or vector(0)', {
      description: "Alerts of alerts.yaml and slo.yaml. Each names its runbook",
      thresholds: worseFrom(1, 3),
      unit: "short",
    }),
    stat(
      "Temporary failures",
      `${rateOf('service_auth_decisions_total{outcome="tempfail"}')} / (${rateOf("service_auth_decisions_total")} > 0) or vector(0)`,
      {
        description:
          "Share of the decisions for mail servers and proxies that could not be made, so that users must try again. Runbook: docs/operate/failure-modes.md",
        thresholds: worseFrom(0.001, 0.05),
        unit: "percentunit",
      },
    ),
    stat(
      "Decision time, p99",
      "histogram_quantile(0.99, sum by (le) (rate(service_auth_decision_seconds_bucket[$__rate_interval])))",
      {
        description:
          "99 of 100 decisions took at most this long; nothing is shown while there are none. Runbook: docs/operate/capacity.md",
        thresholds: worseFrom(0.5, 1),
        unit: "s",
      },
    ),
    stat("Engines", "max(service_engines_heard)", {
      description: "Engines whose heartbeat arrives. Without any, every sign-in is a temporary failure",
      thresholds: badBelow(1),
      unit: "short",
    }),
    stat("Failed backend queries", rateOf('service_directory_seconds_count{outcome="unavailable"}'), {
      description:
        "Queries to LDAP and SQL backends for which no decision was possible. Runbook: docs/operate/failure-modes.md",
      thresholds: badFrom(0.001),
      unit: "ops",
    }),
    stat("Counting without Redis", "max(service_failure_budget_local) + max(service_brute_force_redis_away)", {
      description:
        "0 while gateways and engines share what they count; 1 or 2 while gateways, engines or both count alone because Redis is unavailable",
      thresholds: badFrom(1),
      unit: "short",
    }),
    stat("First certificate expires in", "min(service_certificate_remaining_seconds)", {
      description: meaningOf("service_certificate_remaining_seconds"),
      thresholds: ["red", [7 * 86_400, "orange"], [14 * 86_400, "green"]],
      unit: "s",
    }),
  ],
  "Error budget": [
    stat("Error budget left of 30 days", "postern:errors:budget_left", {
      description:
        "What remains of the errors that the objectives of slo.yaml permit within 30 days. 100 %: no errors; below 0 %: the objective is missed. Prometheus must keep 30 days",
      thresholds: ["red", [0, "orange"], [0.25, "green"]],
      unit: "percentunit",
      legend: "{{slo}}",
    }),
    stat("Burn rate, 1 hour", "postern:errors:ratio_rate1h / on (slo) postern:errors:budget", {
      description: "1 uses up the budget within 30 days, 14.4 within two. Nothing is shown without requests",
      thresholds: worseFrom(1, 6),
      unit: "short",
      legend: "{{slo}}",
    }),
  ],
  Traffic: [
    rate("service_auth_decisions_total", "outcome", "Decisions", { isStacked: true }),
    rate("service_logins_total", "result", "Password checks", { isStacked: true }),
    rate("service_idp_sign_ins_total", "result", "Steps of browser sign-ins", { isStacked: true }),
    quantile("service_engine_decision_seconds", "outcome", "Decision time in the engines, p99"),
  ],
  Attack: [
    rate("service_brute_force_failures_total", "kind", "Failed sign-ins", { isStacked: true }),
    rate("service_brute_force_bans_total", "rule", "Bans", { isStacked: true }),
    rate("service_brute_force_blocked_total", "rule", "Refused because of a ban", { isStacked: true }),
    rate("service_brute_force_slowed_total", "source", "Delayed by the account delay"),
    rate("service_risk_sign_ins_total", "level", "Correct passwords by suspicion"),
    rate("service_risk_refusals_total", "mode, response", "Correct passwords that were refused as suspicious"),
    rate("service_client_address_ignored_total", "reason", "Client addresses that were ignored", {
      thresholds: badFrom(0.001),
    }),
    rate("backchannel_caller_auth_total", "outcome", "Authentication of API callers"),
  ],
  Versions: [
    {
      title: "Versions, by process",
      description: meaningOf("service_build_info"),
      series: [{ query: "max by (job, instance, version, revision, node) (service_build_info)", legend: "" }],
      unit: "none",
      type: "table",
    },
    {
      title: "Processes, by version",
      description: "Several versions mean an upgrade that has not ended. A gap is a process that was not running",
      series: [{ query: "sum by (version) (service_build_info)", legend: "{{version}}" }],
      unit: "short",
      isStacked: true,
    },
  ],
};
