import type { Metrics } from "@postern/shared/metrics";
import type { NoticeResult } from "./logout-delivery.ts";

const routes = [
  "authorize",
  "token",
  "userinfo",
  "introspect",
  "revoke",
  "par",
  "device",
  "jwks",
  "discovery",
  "sessions",
] as const;
const grants = ["authorization_code", "refresh_token", "client_credentials", "device_code", "other"] as const;

export type OidcRoute = (typeof routes)[number];

/** One function for each fact of the protocol that is counted. */
export interface OidcMetrics {
  /** By the status of its answer: below 400, 400 to 499, above. */
  request(route: OidcRoute, status: number): void;
  /** `grantType` as the request told it. */
  grant(grantType: unknown, result: "issued" | "refused"): void;
  logoutNotice(result: NoticeResult): void;
}

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

/** Undefined for a path that is counted elsewhere or nowhere. */
export function routeOfPath(path: string | undefined): OidcRoute | undefined {
  if (path?.startsWith("/.well-known/") === true) return "discovery";
  if (path?.startsWith("/api/v1/oidc/sessions") === true) return "sessions";
  const [, , name] = path?.split("/") ?? [];
  return routes.find((route) => route === name);
}

export function createOidcMetrics(registry: Metrics, prefix: string): OidcMetrics {
  const notices = registry.counter({
    name: `${prefix}_idp_logout_notices_total`,
    help: "Attempts to tell clients of logouts, by what became of them",
    labels: { result: ["delivered", "retried", "refused"] },
  });
  const requests = registry.counter({
    name: `${prefix}_idp_oidc_requests_total`,
    help: "Requests of OpenID Connect, by route and outcome",
    labels: { route: routes, result: ["ok", "refused", "failed"] },
  });
  const tokens = registry.counter({
    name: `${prefix}_idp_oidc_grants_total`,
    help: "Grants at the token endpoint, by kind and outcome",
    labels: { grant: grants, result: ["issued", "refused"] },
  });
  return {
    request: (route, status) =>
      requests({ route, result: status < 400 ? "ok" : status < 500 ? "refused" : "failed" }).inc(),
    grant: (grantType, result) => {
      const told = grantType === deviceGrant ? "device_code" : grantType;
      tokens({ grant: grants.find((grant) => grant === told) ?? "other", result }).inc();
    },
    logoutNotice: (result) => notices({ result }).inc(),
  };
}
