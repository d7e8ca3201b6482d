import type { Metrics } from "@postern/shared/metrics";
import type { JwtResult } from "./routes/jwt/jwt-route.ts";

const results = ["issued", "malformed", "denied", "no_role", "undecided"] as const satisfies readonly JwtResult[];

/** One function for each fact that the administration service counts. */
export interface AdminMetrics {
  jwt(endpoint: "token" | "refresh", result: JwtResult): void;
  refreshTokenReused(): void;
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
  return {
    jwt: (endpoint, result) => requests({ endpoint, result }).inc(),
    refreshTokenReused: () => reused.inc(),
  };
}
