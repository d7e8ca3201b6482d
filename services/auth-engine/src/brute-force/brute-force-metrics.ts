import type { Base } from "@postern/shared/assembly";

const operations = ["check", "count", "success"] as const;
const sources = ["unknown_network", "no_address"] as const;
/** Label for rules that a reload added: series are created at start. */
const otherRule = "other";
const delayRule = "account_delay";

interface BruteForceMetricsOptions {
  readonly rules: readonly string[];
  readonly isRedisUnavailable: () => boolean;
  /** Whether what the check reads is kept until Redis reports a change. */
  readonly isTracked: () => boolean;
}

/** One function for each fact that brute-force protection counts. */
export function createBruteForceMetrics(
  { metrics: registry, metricsPrefix }: Base,
  { rules: configured, isRedisUnavailable, isTracked }: BruteForceMetricsOptions,
) {
  const rules = [...new Set([...configured, otherRule])];
  const ruleOf = (name: string): string => (rules.includes(name) ? name : otherRule);
  const blocked = registry.counter({
    name: `${metricsPrefix}_brute_force_blocked_total`,
    help: "Requests refused because of a ban, by rule",
    labels: { rule: rules },
  });
  const observed = registry.counter({
    name: `${metricsPrefix}_brute_force_observed_total`,
    help: "Requests that a ban would have refused, by rule, or whose responses the account delay would have delayed, in the mode observe",
    labels: { rule: [...rules, delayRule] },
  });
  const banned = registry.counter({
    name: `${metricsPrefix}_brute_force_bans_total`,
    help: "Bans written by this engine, by rule",
    labels: { rule: rules },
  });
  const failed = registry.counter({
    name: `${metricsPrefix}_brute_force_failures_total`,
    help: "Failed sign-ins, counted or repeated",
    labels: { kind: ["counted", "repeated"] },
  });
  const degraded = registry.counter({
    name: `${metricsPrefix}_brute_force_degraded_total`,
    help: "Operations that Redis did not answer: decided by this engine alone, or a temporary failure",
    labels: { question: operations },
  });
  const delayed = registry.counter({
    name: `${metricsPrefix}_brute_force_slowed_total`,
    help: "Responses delayed by the account delay, by the reason why the source is unknown",
    labels: { source: sources },
  });
  registry.gauge({
    name: `${metricsPrefix}_brute_force_redis_away`,
    help: "1 while Redis is unavailable and this engine counts on its own",
    read: () => (isRedisUnavailable() ? 1 : 0),
  });
  registry.gauge({
    name: `${metricsPrefix}_brute_force_tracked`,
    help: "1 while this engine keeps what it reads until Redis reports a change; 0 while every check reads Redis",
    read: () => (isTracked() ? 1 : 0),
  });
  return {
    blocked: (rule: string): void => blocked({ rule: ruleOf(rule) }).inc(),
    /** In the mode `observe`: a ban would have refused this request, or the account delay would have delayed its response. */
    observed: (rule: string): void => observed({ rule: rule === delayRule ? rule : ruleOf(rule) }).inc(),
    failed: (kind: "counted" | "repeated"): void => failed({ kind }).inc(),
    banned: (rule: string): void => banned({ rule: ruleOf(rule) }).inc(),
    delayed: (source: (typeof sources)[number]): void => delayed({ source }).inc(),
    degraded: (operation: (typeof operations)[number]): void => degraded({ question: operation }).inc(),
  };
}

export type BruteForceMetrics = ReturnType<typeof createBruteForceMetrics>;
