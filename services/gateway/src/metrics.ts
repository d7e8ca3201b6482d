import type { AuthDecision, AuthOperation, Dialect } from "@postern/shared/contracts";
import type { CounterSeries, HistogramSeries, Metrics } from "@postern/shared/metrics";
import { type CallerAuthOutcome, callerAuthOutcomeNames } from "./caller-auth/outcome.ts";

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

/** One function for each fact that the gateway counts. */
export interface GatewayMetrics {
  decided(decision: ObservedDecision): void;
  malformed(dialect: Dialect): void;
  callerChecked(outcome: CallerAuthOutcome): void;
  /** Where the number of engines is read that gave a sign of life in the last second. */
  enginesHeard(read: () => number): void;
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
    help: "Passwords checked, by result",
    labels: { result: ["success", "failure", "tempfail"] },
  });
  const decisions = registry.counter({
    name: `${prefix}_auth_decisions_total`,
    help: "Decisions given to callers",
    labels: { dialect: dialects, operation: operations, outcome: outcomes },
  });
  const seconds = registry.histogram({
    name: `${prefix}_auth_decision_seconds`,
    help: "From the parsed request to the decision, as the gateway sees it",
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
    help: "Backchannel callers checked, by outcome (contract, Caller rejection outcomes)",
    labels: { outcome: callerAuthOutcomeNames },
  });
  const callerSeries = new Map(callerAuthOutcomeNames.map((outcome) => [outcome, callers({ outcome })]));
  const malformed = registry.counter({
    name: `${prefix}_auth_malformed_total`,
    help: "Requests answered with 400",
    labels: { dialect: dialects },
  });
  return {
    decided: ({ dialect, operation, outcome, seconds }) => {
      const series = table.get(dialect)?.get(operation)?.get(outcome);
      series?.count.inc();
      series?.seconds.observe(seconds);
      if (operation === "authenticate") series?.login.inc();
    },
    malformed: (dialect) => malformed({ dialect }).inc(),
    enginesHeard: (read) =>
      registry.gauge({ name: `${prefix}_engines_heard`, help: "Engines that beat in the last second", read }),
    callerChecked: (outcome) => callerSeries.get(outcome)?.inc(),
  };
}
