import { type FlushSettings, flushSettings } from "@postern/shared/assembly";
import { type RiskSettings, riskSettings } from "@postern/shared/domain/risk";
import { type Config, redactConfig } from "@postern/shared/platform/config";
import { Secret } from "@postern/shared/platform/crypto";
import { callerChallenges } from "@postern/shared/platform/http";
import { type HostPort, parseHostPort } from "@postern/shared/platform/net";
import type { ConfigLoadSettings } from "./config/get-load.ts";
import { type LiveConsoleSettings, liveConsoleSettings } from "./console/console-settings.ts";
import { type ShownShadowSettings, shownShadowSettings } from "./console/shadow/shadow-settings.ts";
import { type ShownDomainSettings, shownDomainSettings } from "./domains/domain-settings.ts";
import type { FactorLimitSettings } from "./factor-locks/factor-locks-redis.ts";
import { type HookTable, hookTable } from "./hooks/hook-table.ts";
import type { TokenLives } from "./jwt/token-pair.ts";
import type { UserSettings } from "./jwt/users.ts";
import { createRequestValidation, type RequestValidation } from "./openapi/request-validation.ts";

export interface AdminSettings {
  readonly address: HostPort;
  readonly privateAddress: string;
  readonly assertionSecret: Secret;
  readonly identifier: string;
  readonly requestTimeoutMs: number;
  readonly maxBodyBytes: number;
  /** Absent if `auth.backchannel.jwt` is off. */
  readonly jwtSecret: Secret | undefined;
  readonly clockSkewSeconds: number;
}

/** The part of `auth.backchannel.jwt` that a reload replaces. */
export interface LiveJwtSettings extends UserSettings {
  /** `runtime.servers.http.disabled_endpoints.auth_jwt` */
  readonly disabled: boolean;
  readonly lives: TokenLives;
}

/** Settings that a reload replaces together. */
export interface LiveAdminSettings {
  /** `WWW-Authenticate` values for rejected callers. */
  readonly challenges: readonly string[];
  readonly configLoad: ConfigLoadSettings;
  readonly jwt: LiveJwtSettings;
  readonly decisionTimeoutMs: number;
  readonly requestValidation: RequestValidation | undefined;
  readonly hooks: HookTable;
  readonly flush: FlushSettings;
  readonly console: LiveConsoleSettings;
  readonly shadow: ShownShadowSettings;
  readonly domains: ShownDomainSettings;
  readonly risk: RiskSettings;
  readonly factorLimits: FactorLimitSettings;
  /** Bans refuse and account delays delay; otherwise they are only recorded. */
  readonly enforcesBans: boolean;
}

export function adminSettings({ runtime, auth }: Config): AdminSettings {
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
    jwtSecret: jwt.enabled ? new Secret(jwt.secret_key) : undefined,
    clockSkewSeconds: Math.round(oidc_bearer.clock_skew / 1000),
  };
}

function liveJwtSettings({ auth, runtime }: Config): LiveJwtSettings {
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

function requestValidationOf({ runtime }: Config): RequestValidation | undefined {
  const { enabled, enforce, operations } = runtime.servers.http.openapi_validation;
  return enabled ? { enforce, validate: createRequestValidation(operations) } : undefined;
}

export function liveAdminSettings(config: Config): LiveAdminSettings {
  const { servers } = config.runtime;
  const { basic_auth, callers, jwt, oidc_bearer } = config.auth.backchannel;
  return {
    challenges: callerChallenges({
      basic: basic_auth.enabled || callers.length > 0,
      bearer: jwt.enabled || oidc_bearer.enabled,
    }),
    configLoad: {
      disabled: servers.http.disabled_endpoints.configuration,
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
    enforcesBans: config.auth.controls.brute_force.mode === "enforce",
    factorLimits: {
      maxAttempts: config.identity.mfa.totp.max_attempts,
      maxFailures: config.identity.mfa.totp.max_failures,
    },
  };
}
