import type { Metrics } from "@postern/shared/metrics";

const questions = ["check", "count", "success"] as const;
/** Rules that came with a reload: series are made at start. */
const otherRule = "other";

/** One function for each fact that the protection against guessing counts. */
export interface BruteForceMetrics {
  blocked(rule: string): void;
  failed(kind: "counted" | "repeated"): void;
  banned(rule: string): void;
  degraded(question: (typeof questions)[number]): void;
}

export interface BruteForceMetricsOptions {
  readonly prefix: string;
  readonly rules: readonly string[];
  readonly away: () => boolean;
}

export function createBruteForceMetrics(registry: Metrics, options: BruteForceMetricsOptions): BruteForceMetrics {
  const { prefix, away } = options;
  const rules = [...new Set([...options.rules, otherRule])];
  const ruleOf = (name: string): string => (rules.includes(name) ? name : otherRule);
  const blocked = registry.counter({
    name: `${prefix}_brute_force_blocked_total`,
    help: "Requests refused by a ban, by the rule that made it",
    labels: { rule: rules },
  });
  const banned = registry.counter({
    name: `${prefix}_brute_force_bans_total`,
    help: "Bans that this engine made, by rule",
    labels: { rule: rules },
  });
  const failed = registry.counter({
    name: `${prefix}_brute_force_failures_total`,
    help: "Failed logins, counted or repetitions of one that was",
    labels: { kind: ["counted", "repeated"] },
  });
  const degraded = registry.counter({
    name: `${prefix}_brute_force_degraded_total`,
    help: "Questions that Redis did not answer: counted by this engine alone, or a temporary failure",
    labels: { question: questions },
  });
  registry.gauge({
    name: `${prefix}_brute_force_redis_away`,
    help: "1 while this engine counts without Redis",
    read: () => (away() ? 1 : 0),
  });
  return {
    blocked: (rule) => blocked({ rule: ruleOf(rule) }).inc(),
    failed: (kind) => failed({ kind }).inc(),
    banned: (rule) => banned({ rule: ruleOf(rule) }).inc(),
    degraded: (question) => degraded({ question }).inc(),
  };
}
