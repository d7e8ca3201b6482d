import type { AuthDecision, AuthOperation, Dialect } from "@postern/shared/contracts";
import type { AssertionAudience } from "@postern/shared/platform/http";
import type { CounterSeries, HistogramSeries, Metrics } from "@postern/shared/platform/metrics";
import { type CallerAuthOutcome, callerAuthOutcomeNames } from "./caller-auth/outcome.ts";
import { type OwnerFailure, ownerFailures } from "./forward/owner-failure.ts";
import { type IgnoredAddressReason, ignoredAddressReasons } from "./ignored-addresses.ts";

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
const operations = ["authenticate", "lookup", "list-accounts"] as const satisfies readonly AuthOperation[];
const outcomes = ["ok", "fail", "blocked", "tempfail"] as const satisfies readonly AuthDecision["outcome"][];
const loginResult = { ok: "success", fail: "failure", blocked: "failure", tempfail: "tempfail" } as const;
const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export interface ObservedDecision {
  readonly dialect: Dialect;
  readonly operation: AuthOperation;
  readonly outcome: AuthDecision["outcome"];
  readonly seconds: number;
}

/** One function for each metric of the gateway. */
export interface GatewayMetrics {
  decided(decision: ObservedDecision): void;
  malformed(dialect: Dialect): void;
  addressIgnored(dialect: Dialect, reason: IgnoredAddressReason): void;
  callerChecked(outcome: CallerAuthOutcome): void;
  /** A forwarded request that the service behind its path did not answer. */
  ownerFailed(owner: AssertionAudience, reason: OwnerFailure): void;
}

type DecisionSeries = {
  readonly count: CounterSeries;
  readonly seconds: HistogramSeries;
  readonly login: CounterSeries;
};

type SeriesTable = ReadonlyMap<
  Dialect,
  ReadonlyMap<AuthOperation, ReadonlyMap<ObservedDecision["outcome"], DecisionSeries>>
>;

function mapOf<K, V>(keys: readonly K[], make: (key: K) => V): ReadonlyMap<K, V> {
  return new Map(keys.map((key) => [key, make(key)]));
}

function seriesTable(registry: Metrics, prefix: string): SeriesTable {
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

export function createGatewayMetrics(registry: Metrics, prefix: string): GatewayMetrics {
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
  const ownerFailed = registry.counter({
    name: `${prefix}_forward_failures_total`,
    help: "Forwarded requests that the owning service did not answer",
    labels: { owner: ["admin", "idp"], reason: ownerFailures },
  });
  const addresses = registry.counter({
    name: `${prefix}_client_address_ignored_total`,
    help: "Client addresses in requests that were ignored, by reason",
    labels: { dialect: dialects, reason: ignoredAddressReasons },
  });
  return {
    ownerFailed: (owner, reason) => ownerFailed({ owner, reason }).inc(),
    decided: ({ dialect, operation, outcome, seconds }) => {
      const series = table.get(dialect)?.get(operation)?.get(outcome);
      series?.count.inc();
      series?.seconds.observe(seconds);
      if (operation === "authenticate") series?.login.inc();
    },
    malformed: (dialect) => malformed({ dialect }).inc(),
    addressIgnored: (dialect, reason) => addresses({ dialect, reason }).inc(),
    callerChecked: (outcome) => callerSeries.get(outcome)?.inc(),
  };
}
