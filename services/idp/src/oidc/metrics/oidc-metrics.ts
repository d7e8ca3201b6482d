import { operation } from "@postern/shared/contracts";
import { isBelow } from "@postern/shared/platform/http";
import type { Metrics } from "@postern/shared/platform/metrics";

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
  "register",
] as const;
const registrationResults = [
  "registered",
  "disabled",
  "no_token",
  "invalid",
  "rate_limited",
  "network_full",
  "full",
] as const;
const grants = [
  "authorization_code",
  "refresh_token",
  "client_credentials",
  "device_code",
  "implicit",
  "other",
] as const;

const deliveryResults = ["delivered", "retried", "refused"] as const;

export type DeliveryResult = (typeof deliveryResults)[number];
export type OidcRoute = (typeof routes)[number];
const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

/** Undefined for a path that is not counted here. */
export function routeOfPath(path: string | undefined): OidcRoute | undefined {
  if (path === undefined) return undefined;
  if (isBelow(operation("discovery").family.prefix, path)) return "discovery";
  if (isBelow(operation("listOidcSessions").family.prefix, path)) return "sessions";
  const [, , name] = path.split("/");
  return routes.find((route) => route === name);
}

export function createOidcMetrics(registry: Metrics, prefix: string) {
  const deliveries = registry.counter({
    name: `${prefix}_idp_logout_notices_total`,
    help: "Attempts to deliver logout messages to clients, by result",
    labels: { result: deliveryResults },
  });
  const requests = registry.counter({
    name: `${prefix}_idp_oidc_requests_total`,
    help: "OpenID Connect requests, by route and result",
    labels: { route: routes, result: ["ok", "refused", "failed"] },
  });
  const tokens = registry.counter({
    name: `${prefix}_idp_oidc_grants_total`,
    help: "Grants at the token endpoint, and responses of the implicit flow, by grant and result",
    labels: { grant: grants, result: ["issued", "refused"] },
  });
  const registrations = registry.counter({
    name: `${prefix}_idp_registrations_total`,
    help: "Requests to register a client, by result",
    labels: { result: registrationResults },
  });
  return {
    registration: (result: (typeof registrationResults)[number]): void => registrations({ result }).inc(),
    /** Counted by the response status: below 400, 400 to 499, above. */
    request: (route: OidcRoute, status: number): void =>
      requests({ route, result: status < 400 ? "ok" : status < 500 ? "refused" : "failed" }).inc(),
    /** `grantType` as in the request. */
    grant: (grantType: unknown, result: "issued" | "refused"): void => {
      const grantName = grantType === deviceGrant ? "device_code" : grantType;
      tokens({ grant: grants.find((grant) => grant === grantName) ?? "other", result }).inc();
    },
    logoutDelivery: (result: DeliveryResult): void => deliveries({ result }).inc(),
  };
}

export type OidcMetrics = ReturnType<typeof createOidcMetrics>;
