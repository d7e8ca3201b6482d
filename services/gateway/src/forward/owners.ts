import type { AssertionAudience } from "@postern/shared/http";

/**
 * Whether the gateway checks the caller before it passes a request on, or leaves that to the owner. `offered`: it checks
 * credentials that come, and the owner says whether a request may do without.
 */
export type CallerRule = "backchannel" | "owner" | "offered";

export interface OwnedPaths {
  readonly owner: AssertionAudience;
  readonly caller: CallerRule;
  /** The owner checks credentials there: its 401 is a rejection like the gateway's own, delayed and counted. */
  readonly checksCredentials?: true;
  /** Each stands for itself and everything below it. */
  readonly prefixes: readonly string[];
}

/** Design decision 22: who serves what behind the gateway. A path of no row is 404. */
export const ownedPaths: readonly OwnedPaths[] = [
  {
    owner: "admin",
    caller: "backchannel",
    prefixes: [
      "/api/v1/cache",
      "/api/v1/bruteforce",
      "/api/v1/async",
      "/api/v1/config",
      "/api/v1/mfa-backchannel",
      "/api/v1/openapi.yaml",
      "/api/v1/openapi.json",
    ],
  },
  { owner: "admin", caller: "owner", checksCredentials: true, prefixes: ["/api/v1/jwt"] },
  { owner: "admin", caller: "offered", prefixes: ["/api/v1/custom"] },
  { owner: "idp", caller: "backchannel", prefixes: ["/api/v1/oidc/sessions", "/api/v1/dev/ui"] },
  {
    owner: "idp",
    caller: "owner",
    prefixes: ["/api/v1/mfa", "/.well-known", "/login", "/logout", "/logged_out", "/oidc", "/saml", "/mfa", "/static"],
  },
];
