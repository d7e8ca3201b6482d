import { messages } from "../messages.ts";
import type { Config } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

export function validateObservability(config: Config, { problem, warning }: Judgement): void {
  const { endpoint_enabled, endpoint_auth } = config.observability.metrics;
  const { basic } = endpoint_auth;
  const path = "observability.metrics.endpoint_auth.basic";
  for (const name of ["username", "password"] as const) {
    if (basic.enabled && basic[name] === "") problem(`${path}.${name}`, messages.needsWhen(`${path}.enabled is true`));
  }
  if (endpoint_enabled && !basic.enabled) warning("observability.metrics.endpoint_enabled", messages.metricsOpen);
}
