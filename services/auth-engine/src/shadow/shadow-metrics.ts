import {
  type DifferenceKind,
  differenceKinds,
  type Omission,
  omissions,
  type ShadowProtocol,
  shadowProtocols,
} from "@postern/shared/domain/shadow";
import type { Metrics } from "@postern/shared/platform/metrics";

const results = ["same", "different", ...omissions] as const;

/** One function for each fact that is counted. */
export function createShadowMetrics(registry: Metrics, prefix: string) {
  const requests = registry.counter({
    name: `${prefix}_shadow_requests_total`,
    help: "Requests that were compared with the backends of auth.shadow, by result, or not compared: undecided_old and undecided_new because one side had a temporary failure, dropped because too many waited",
    labels: { result: results, protocol: shadowProtocols },
  });
  const differences = registry.counter({
    name: `${prefix}_shadow_differences_total`,
    help: "Differences between auth.backends and auth.shadow, by kind; a request may have several",
    labels: { kind: differenceKinds, protocol: shadowProtocols },
  });
  return {
    compared: (isDifferent: boolean, protocol: ShadowProtocol): void =>
      requests({ result: isDifferent ? "different" : "same", protocol }).inc(),
    omitted: (reason: Omission, protocol: ShadowProtocol): void => requests({ result: reason, protocol }).inc(),
    differed: (kind: DifferenceKind, protocol: ShadowProtocol): void => differences({ kind, protocol }).inc(),
  };
}
