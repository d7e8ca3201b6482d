import { flushSettings } from "@postern/shared/assembly";
import { riskSettings } from "@postern/shared/domain/risk";
import { type Config, redactConfig } from "@postern/shared/platform/config";
import { Secret } from "@postern/shared/platform/crypto";
import { callerChallenges } from "@postern/shared/platform/http";
import { parseHostPort } from "@postern/shared/platform/net";
import { liveConsoleSettings } from "./console/console-settings.ts";
import { shownDomainSettings } from "./domains/domain-settings.ts";
import { hookTable } from "./hooks/hook-table.ts";
import { createRequestValidation, type RequestValidation } from "./openapi/request-validation.ts";

/** What the report says about its configuration; a reload replaces it. */
function shownShadowSettings({ auth }: Config) {
  const { order, percent, passwords } = auth.shadow;
  return { is_on: order.length > 0 && percent > 0, order: [...order], percent, passwords };
}

export function adminSettings({ runtime, auth }: Config) {
  const { admin, caller_assertion } = runtime.services;
  const { jwt, oidc_bearer } = auth.backchannel;
  const address = parseHostPort(admin.address);
  if (address === undefined) throw new RangeError(`runtime.services.admin.address: ${admin.address}`);
  return {
    address,
    privateAddress: admin.private_address,
    assertionSecret: new Secret(caller_assertion.secret),
    identifier: runtime.naming.identifier,
    requestTimeoutMs: runtime.servers.http.request_timeout,
    maxBodyBytes: runtime.servers.http.max_body_bytes,
    /** Undefined if `auth.backchannel.jwt` is off. */
    jwtSecret: jwt.enabled ? new Secret(jwt.secret_key) : undefined,
    clockSkewSeconds: Math.round(oidc_bearer.clock_skew / 1000),
  };
}

/** The part of `auth.backchannel.jwt` that a reload replaces. */
function liveJwtSettings({ auth, runtime }: Config) {
  const { users, directory_roles, token_expiry, refresh_token_expiry } = auth.backchannel.jwt;
  return {
    disabled: runtime.servers.http.disabled_endpoints.auth_jwt,
    users: new Map(users.map(({ username, password, roles }) => [username, { password, roles }])),
    backendRoles: directory_roles,
    lives: {
      accessSeconds: Math.ceil(token_expiry / 1000),
      refreshSeconds: Math.ceil(refresh_token_expiry / 1000),
    },
  };
}

/** Undefined if requests are not validated. */
function requestValidationOf({ runtime }: Config): RequestValidation | undefined {
  const { enabled, enforce, operations } = runtime.servers.http.openapi_validation;
  return enabled ? { enforce, validate: createRequestValidation(operations) } : undefined;
}

/** Settings that a reload replaces together. */
export function liveAdminSettings(config: Config) {
  const { servers } = config.runtime;
  const { basic_auth, callers, jwt, oidc_bearer } = config.auth.backchannel;
  return {
    /** `WWW-Authenticate` values for rejected callers. */
    challenges: callerChallenges({
      basic: basic_auth.enabled || callers.length > 0,
      bearer: jwt.enabled || oidc_bearer.enabled,
    }),
    configLoad: {
      disabled: servers.http.disabled_endpoints.configuration,
      /** The effective configuration with its secrets masked, as JSON. */
      redactedJson: JSON.stringify(redactConfig(config)),
    },
    jwt: liveJwtSettings(config),
    decisionTimeoutMs: config.runtime.timeouts.decision,
    requestValidation: requestValidationOf(config),
    hooks: hookTable(config),
    flush: flushSettings(config),
    console: liveConsoleSettings(config),
    shadow: shownShadowSettings(config),
    domains: shownDomainSettings(config),
    risk: riskSettings(config.auth.risk),
    /** Bans refuse and account delays delay; otherwise they are only recorded. */
    enforcesBans: config.auth.controls.brute_force.mode === "enforce",
    factorLimits: {
      maxAttempts: config.identity.mfa.totp.max_attempts,
      maxFailures: config.identity.mfa.totp.max_failures,
    },
  };
}
