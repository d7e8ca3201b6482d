import {
  type AuthDecision,
  type AuthOperation,
  type AuthPolicyCommand,
  authPolicyCommands,
  type Dialect,
} from "@postern/shared/contracts";
import type { AssertionAudience } from "@postern/shared/platform/http";
import type { Metrics } from "@postern/shared/platform/metrics";
import { type CallerAuthOutcome, callerAuthOutcomeNames } from "./callers/outcome.ts";
import { type IgnoredAddressReason, ignoredAddressReasons } from "./connection/addresses.ts";
import { type RejectedConnection, rejectedConnections } from "./connection/proxied-connections.ts";
import { type PolicyOutcome, policyOutcomes } from "./dovecot/policy-log.ts";
import { type ServiceFailure, serviceFailures } from "./internal-services/service-agent.ts";

const dialects = [
  "json",
  "cbor",
  "header",
  "basic",
  "proxy",
  "sasl",
  "grpc",
  "jwt",
  "idp",
] as const satisfies readonly Dialect[];
/** Where a request may contain its client's address. */
const addressDialects = [...dialects, "auth_policy"] as const satisfies readonly Dialect[];
const operations = ["authenticate", "lookup", "list-accounts"] as const satisfies readonly AuthOperation[];
const outcomes = ["ok", "fail", "blocked", "tempfail"] as const satisfies readonly AuthDecision["outcome"][];
const loginResult = { ok: "success", fail: "failure", blocked: "failure", tempfail: "tempfail" } as const;
const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

interface ObservedDecision {
  readonly dialect: Dialect;
  readonly operation: AuthOperation;
  readonly outcome: AuthDecision["outcome"];
  readonly seconds: number;
}

function mapOf<K extends string, V>(keys: readonly K[], make: (key: K) => V): Pick<ReadonlyMap<string, V>, "get"> {
  return new Map(keys.map((key) => [key, make(key)]));
}

function seriesTable(registry: Metrics, prefix: string) {
  const logins = registry.counter({
    name: `${prefix}_logins_total`,
    help: "Password checks, by result",
    labels: { result: ["success", "failure", "tempfail"] },
  });
  const decisions = registry.counter({
    name: `${prefix}_auth_decisions_total`,
    help: "Decisions sent to API callers",
    labels: { dialect: dialects, operation: operations, outcome: outcomes },
  });
  const seconds = registry.histogram({
    name: `${prefix}_auth_decision_seconds`,
    help: "Time from the parsed request to the written response",
    labels: { dialect: dialects, outcome: outcomes },
    buckets: secondsBuckets,
  });
  return mapOf(dialects, (dialect) =>
    mapOf(operations, (operation) =>
      mapOf(outcomes, (outcome) => ({
        count: decisions({ dialect, operation, outcome }),
        seconds: seconds({ dialect, outcome }),
        login: logins({ result: loginResult[outcome] }),
      })),
    ),
  );
}

function policyAnswers(registry: Metrics, prefix: string) {
  const commands = [...authPolicyCommands, "none"] as const;
  const requests = registry.counter({
    name: `${prefix}_auth_policy_requests_total`,
    help: "Requests of the auth-policy protocol, by result",
    labels: { command: commands, outcome: policyOutcomes },
  });
  const durations = registry.histogram({
    name: `${prefix}_auth_policy_seconds`,
    help: "Time from the request of the auth-policy protocol to the written response",
    labels: { command: commands },
    buckets: secondsBuckets,
  });
  return (command: AuthPolicyCommand | "none", outcome: PolicyOutcome, seconds: number): void => {
    requests({ command, outcome }).inc();
    durations({ command }).observe(seconds);
  };
}

function basicCallers(registry: Metrics, prefix: string) {
  const requests = registry.configuredCounter({
    name: `${prefix}_caller_requests_total`,
    help: "Requests of API callers with correct Basic credentials, by caller",
    configured: "caller",
    labels: { result: ["admitted", "operation_denied"] },
  });
  return {
    /** The configured Basic callers: each has its series, and former ones have none. */
    keepCallers: (names: readonly string[]): void => requests.keep(names),
    /** A request with correct credentials of a configured Basic caller. */
    basicCallerChecked: (name: string, outcome: CallerAuthOutcome): void =>
      requests.inc(name, { result: outcome === "operation_denied" ? "operation_denied" : "admitted" }),
  };
}

export function createGatewayMetrics(registry: Metrics, prefix: string) {
  const table = seriesTable(registry, prefix);
  const callers = registry.counter({
    name: "backchannel_caller_auth_total",
    help: "Authentication checks of API callers, by outcome",
    labels: { outcome: callerAuthOutcomeNames },
  });
  const callerSeries = new Map(callerAuthOutcomeNames.map((outcome) => [outcome, callers({ outcome })]));
  const malformed = registry.counter({
    name: `${prefix}_auth_malformed_total`,
    help: "Requests answered with 400",
    labels: { dialect: dialects },
  });
  const serviceFailed = registry.counter({
    name: `${prefix}_forward_failures_total`,
    help: "Forwarded requests that the owning service did not answer",
    labels: { owner: ["admin", "idp"], reason: serviceFailures },
  });
  const addresses = registry.counter({
    name: `${prefix}_client_address_ignored_total`,
    help: "Client addresses in requests that were ignored, by reason",
    labels: { dialect: addressDialects, reason: ignoredAddressReasons },
  });
  const connections = registry.counter({
    name: `${prefix}_proxy_protocol_rejected_total`,
    help: "Connections closed because of their PROXY protocol header, by reason",
    labels: { reason: rejectedConnections },
  });
  return {
    ...basicCallers(registry, prefix),
    connectionRejected: (reason: RejectedConnection): void => connections({ reason }).inc(),
    serviceFailed: (owner: AssertionAudience, reason: ServiceFailure): void => serviceFailed({ owner, reason }).inc(),
    decided: ({ dialect, operation, outcome, seconds }: ObservedDecision): void => {
      const series = table.get(dialect)?.get(operation)?.get(outcome);
      series?.count.inc();
      series?.seconds.observe(seconds);
      if (operation === "authenticate") series?.login.inc();
    },
    malformed: (dialect: Dialect): void => {
      if (dialect !== "auth_policy") malformed({ dialect }).inc();
    },
    /** A request of the auth-policy protocol; `none`: it contains no command. */
    policyAnswered: policyAnswers(registry, prefix),
    addressIgnored: (dialect: Dialect, reason: IgnoredAddressReason): void => addresses({ dialect, reason }).inc(),
    callerChecked: (outcome: CallerAuthOutcome): void => callerSeries.get(outcome)?.inc(),
  };
}

export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>;
