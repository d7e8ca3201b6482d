import type { AuthDecision, AuthOperation, BackendKind } from "@postern/shared/contracts";
import type { PasswordVerifier } from "@postern/shared/domain/passwords";
import type { Metrics } from "@postern/shared/platform/metrics";
import { type ControlName, type ControlOutcome, controlNames, controlOutcomes } from "./controls/controls.ts";
import { type RblOutcome, rblOutcomes } from "./controls/rbl/rbl.ts";
import { type MailTokenOutcome, mailTokenOutcomes } from "./mail-tokens/check-mail-token.ts";
import { type PolicyEffect, type PolicyMode, policyEffects, policyModes } from "./policy/policies.ts";
import { createRiskMetrics } from "./risk/risk-metrics.ts";
import type { ScriptStage } from "./scripts/site-scripts.ts";
import {
  type AppPasswordOutcome,
  type AppPasswordUseResult,
  appPasswordOutcomes,
  appPasswordUseResults,
} from "./second-factors/app-passwords.ts";

const operations = ["authenticate", "lookup", "list-accounts"] as const satisfies readonly AuthOperation[];
const outcomes = ["ok", "fail", "blocked", "tempfail"] as const satisfies readonly AuthDecision["outcome"][];
const backendKinds = ["ldap", "sql", "lua", "remote"] as const satisfies readonly BackendKind[];
const backendOutcomes = [
  "ok",
  "wrong_password",
  "password_unverifiable",
  "account_disabled",
  "unknown_user",
  "denied",
  "not_served",
  "unavailable",
  "domain_unavailable",
] as const;
const secondsBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

type BackendOutcome = (typeof backendOutcomes)[number];
type CountedBackendKind = (typeof backendKinds)[number];

function isBackendKind(kind: string): kind is CountedBackendKind {
  return backendKinds.some((known) => known === kind);
}

function isBackendOutcome(outcome: string): outcome is BackendOutcome {
  return backendOutcomes.some((known) => known === outcome);
}

function scriptRuns(registry: Metrics, prefix: string) {
  const scripts = registry.counter({
    name: `${prefix}_script_runs_total`,
    help: "Runs of site scripts around decisions; dropped: an action that found the queue full",
    labels: {
      stage: ["environment", "subject", "action", "start", "cache_flush"],
      result: ["ok", "failed", "dropped"],
    },
  });
  return (stage: ScriptStage, result: "ok" | "failed" | "dropped"): void => scripts({ stage, result }).inc();
}

function appPasswordChecks(registry: Metrics, prefix: string) {
  const checks = registry.counter({
    name: `${prefix}_app_password_checks_total`,
    help: "Sign-ins with an app password, by outcome",
    labels: { outcome: appPasswordOutcomes },
  });
  return (outcome: AppPasswordOutcome): void => checks({ outcome }).inc();
}

function appPasswordUses(registry: Metrics, prefix: string) {
  const uses = registry.counter({
    name: `${prefix}_app_password_uses_total`,
    help: "Updates of an app password's last use, by result; dropped: too many were in progress",
    labels: { result: appPasswordUseResults },
  });
  return (result: AppPasswordUseResult): void => uses({ result }).inc();
}

function historyLosses(registry: Metrics, prefix: string) {
  const losses = registry.counter({
    name: `${prefix}_decision_history_lost_total`,
    help: "Decisions without a record in the decision history, because Redis was unavailable or too slow, or Redis used more than three quarters of its memory",
    labels: {},
  })({});
  return (count: number): void => losses.inc(count);
}

function hashingGauges(registry: Metrics, prefix: string, passwords: Pick<PasswordVerifier, "load">): void {
  registry.gauge({
    name: `${prefix}_hashing_running`,
    help: "Password hashes being verified",
    read: () => passwords.load().running,
  });
  registry.gauge({
    name: `${prefix}_hashing_queued`,
    help: "Password hashes waiting to be verified",
    read: () => passwords.load().queued,
  });
}

/** One function for each fact that an engine counts. */
export function createEngineMetrics(registry: Metrics, prefix: string, passwords: Pick<PasswordVerifier, "load">) {
  const decisions = registry.histogram({
    name: `${prefix}_engine_decision_seconds`,
    help: "Time from the request's arrival at the engine to the decision",
    labels: { operation: operations, outcome: outcomes },
    buckets: secondsBuckets,
  });
  const backends = registry.histogram({
    name: `${prefix}_directory_seconds`,
    help: "Time of one query to a backend, including the password verification",
    labels: { kind: backendKinds, outcome: backendOutcomes },
    buckets: secondsBuckets,
  });
  const mailTokens = registry.counter({
    name: `${prefix}_mail_token_checks_total`,
    help: "Access tokens used as passwords, by outcome",
    labels: { outcome: mailTokenOutcomes },
  });
  const controls = registry.counter({
    name: `${prefix}_control_checks_total`,
    help: "Sign-ins checked by a control, by outcome",
    labels: { control: controlNames, outcome: controlOutcomes },
  });
  const blockLists = registry.counter({
    name: `${prefix}_rbl_answers_total`,
    help: "Queries to block lists, including those answered from the cache, by outcome",
    labels: { outcome: rblOutcomes },
  });
  const policies = registry.counter({
    name: `${prefix}_policies_applied_total`,
    help: "Decisions in which a policy applied; with mode observe it would have applied",
    labels: { mode: policyModes, effect: policyEffects },
  });
  hashingGauges(registry, prefix, passwords);
  return {
    decided: (operation: AuthOperation, outcome: AuthDecision["outcome"], seconds: number): void =>
      decisions({ operation, outcome }).observe(seconds),
    backendAnswered: (kind: string, outcome: string, seconds: number): void => {
      if (isBackendKind(kind) && isBackendOutcome(outcome)) backends({ kind, outcome }).observe(seconds);
    },
    controlled: (control: ControlName, outcome: ControlOutcome): void => controls({ control, outcome }).inc(),
    rblQueried: (outcome: RblOutcome): void => blockLists({ outcome }).inc(),
    policyApplied: (mode: PolicyMode, effect: PolicyEffect): void => policies({ mode, effect }).inc(),
    mailTokenChecked: (outcome: MailTokenOutcome): void => mailTokens({ outcome }).inc(),
    appPasswordChecked: appPasswordChecks(registry, prefix),
    appPasswordUse: appPasswordUses(registry, prefix),
    scriptRan: scriptRuns(registry, prefix),
    historyLost: historyLosses(registry, prefix),
    risk: createRiskMetrics(registry, prefix),
  };
}

export type EngineMetrics = ReturnType<typeof createEngineMetrics>;
