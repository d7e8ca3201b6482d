import type { Metrics } from "@postern/shared/platform/metrics";
import type { JwtResult } from "./jwt/users.ts";

const hookResults = ["ok", "failed", "refused", "unknown"] as const;
export type HookResult = (typeof hookResults)[number];

const results = ["issued", "malformed", "denied", "no_role", "undecided"] as const satisfies readonly JwtResult[];

const flushObjects = ["cache", "bruteforce", "domain"] as const;
export type FlushObject = (typeof flushObjects)[number];

const flushResults = ["flushed", "nothing", "failed", "queued", "not_queued"] as const;
export type FlushResult = (typeof flushResults)[number];

const mfaOperations = [
  "set_totp",
  "delete_totp",
  "set_recovery_codes",
  "delete_recovery_codes",
  "list_webauthn",
  "save_webauthn",
  "update_webauthn",
  "delete_webauthn",
  "delete_passkey",
  "delete_app_password",
  "unlock",
  "list_factors",
] as const;
export type MfaOperation = (typeof mfaOperations)[number];

/** `refused`: the request was understood, and nothing was changed. */
const mfaResults = ["ok", "malformed", "refused", "undecided"] as const;
export type MfaResult = (typeof mfaResults)[number];

/** One function for each metric of the administration service. */
export function createAdminMetrics(registry: Metrics, prefix: string) {
  const requests = registry.counter({
    name: `${prefix}_jwt_requests_total`,
    help: "Requests to the JWT endpoints, by result",
    labels: { endpoint: ["token", "refresh"], result: results },
  });
  const reused = registry.counter({
    name: `${prefix}_jwt_refresh_reuse_total`,
    help: "Refresh tokens that were used a second time, so that their families were revoked",
    labels: {},
  })({});
  const flushes = registry.counter({
    name: `${prefix}_admin_flushes_total`,
    help: "Requested flushes, by result",
    labels: { object: flushObjects, result: flushResults },
  });
  const hooks = registry.counter({
    name: `${prefix}_hook_requests_total`,
    help: "Requests to custom hooks, by result",
    labels: { result: hookResults },
  });
  const mfa = registry.counter({
    name: `${prefix}_mfa_backchannel_requests_total`,
    help: "Requests to the management API for second factors, by operation and result",
    labels: { operation: mfaOperations, result: mfaResults },
  });
  const suspensions = registry.counter({
    name: `${prefix}_admin_suspensions_total`,
    help: "Requests to suspend or resume an account, by result; none: it was not suspended",
    labels: { operation: ["suspend", "resume"], result: ["ok", "none", "failed"] },
  });
  const watched = registry.counter({
    name: `${prefix}_admin_watched_decisions_total`,
    help: "Decisions that matched a watch of an operator, by whether they were sent",
    labels: { result: ["sent", "dropped"] },
  });
  return {
    watchedDecisions: (result: "sent" | "dropped", count: number): void => watched({ result }).inc(count),
    suspensionChanged: (operation: "suspend" | "resume", result: "ok" | "none" | "failed"): void =>
      suspensions({ operation, result }).inc(),
    flushed: (object: FlushObject, result: FlushResult): void => flushes({ object, result }).inc(),
    mfaAnswered: (operation: MfaOperation, result: MfaResult): void => mfa({ operation, result }).inc(),
    hookAnswered: (result: HookResult): void => hooks({ result }).inc(),
    jwt: (endpoint: "token" | "refresh", result: JwtResult): void => requests({ endpoint, result }).inc(),
    refreshTokenReused: (): void => reused.inc(),
  };
}
