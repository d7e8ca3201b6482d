import type { Metrics } from "@postern/shared/metrics";
import type { JwtResult } from "./routes/jwt/jwt-route.ts";

const hookResults = ["ok", "failed", "refused", "unknown"] as const;
export type HookResult = (typeof hookResults)[number];

const results = ["issued", "malformed", "denied", "no_role", "undecided"] as const satisfies readonly JwtResult[];

/** One function for each fact that the administration service counts. */
export interface AdminMetrics {
  jwt(endpoint: "token" | "refresh", result: JwtResult): void;
  refreshTokenReused(): void;
  hookAnswered(result: HookResult): void;
}

export function createAdminMetrics(registry: Metrics, prefix: string): AdminMetrics {
  const requests = registry.counter({
    name: `${prefix}_jwt_requests_total`,
    help: "Requests to the JWT endpoints, by what became of them",
    labels: { endpoint: ["token", "refresh"], result: results },
  });
  const reused = registry.counter({
    name: `${prefix}_jwt_refresh_reuse_total`,
    help: "Refresh tokens that came a second time, so that their families were revoked",
    labels: {},
  })({});
  const hooks = registry.counter({
    name: `${prefix}_hook_requests_total`,
    help: "Requests to custom hooks, by what became of them",
    labels: { result: hookResults },
  });
  return {
    hookAnswered: (result) => hooks({ result }).inc(),
    jwt: (endpoint, result) => requests({ endpoint, result }).inc(),
    refreshTokenReused: () => reused.inc(),
  };
}
