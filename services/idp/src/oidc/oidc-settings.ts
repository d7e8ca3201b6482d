import type { Config, CustomScopeConfig, OidcConfig } from "@postern/shared/config";
import type { MfaPolicyConfig } from "../login/sign-in-demands.ts";
import type { NoticeTimes } from "../logout-notices/notice-queue.ts";
import type { RotationRules } from "./signing-keys.ts";

/** What the OIDC core takes of the configuration. */
export interface OidcSettings {
  readonly enabled: boolean;
  /** An origin, without a slash at its end. */
  readonly issuer: string;
  readonly oidc: OidcConfig;
  readonly identifier: string;
  readonly developerMode: boolean;
  readonly mfaPolicy: MfaPolicyConfig;
}

export function oidcSettings({ identity, runtime }: Config): OidcSettings {
  return {
    enabled: identity.oidc.enabled,
    issuer: identity.oidc.issuer,
    oidc: identity.oidc,
    identifier: runtime.naming.identifier,
    developerMode: runtime.developer_mode,
    mfaPolicy: identity.mfa_policy,
  };
}

const standardScopes: Readonly<Record<string, readonly string[]>> = {
  profile: [
    "name",
    "given_name",
    "family_name",
    "middle_name",
    "nickname",
    "preferred_username",
    "profile",
    "website",
    "picture",
    "gender",
    "birthdate",
    "zoneinfo",
    "locale",
    "updated_at",
  ],
  email: ["email", "email_verified"],
  phone: ["phone_number", "phone_number_verified"],
  address: ["address"],
  groups: ["groups"],
};

function customScopes({ custom_scopes, clients }: OidcConfig): readonly CustomScopeConfig[] {
  return [...custom_scopes, ...clients.flatMap((client) => client.custom_scopes)];
}

/** Scopes that a token can have: those told, the custom ones, and those of the back channel. */
export function allScopes({ oidc }: OidcSettings): readonly string[] {
  return [...new Set([...oidc.scopes_supported, ...customScopes(oidc).map(({ name }) => name)])];
}

/** Claims of each scope, and those that mappings alone give. */
export function claimTable({ oidc }: OidcSettings): Record<string, null | readonly string[]> {
  const table: Record<string, null | readonly string[]> = { openid: ["sub", "acr", "amr", "auth_time", "sid"] };
  for (const [scope, claims] of Object.entries(standardScopes)) {
    if (oidc.scopes_supported.includes(scope)) table[scope] = claims;
  }
  for (const { name, claims } of customScopes(oidc)) {
    table[name] = [...new Set([...(table[name] ?? []), ...claims.map((claim) => claim.name)])];
  }
  for (const { id_token_claims } of oidc.clients) {
    for (const { claim } of id_token_claims.mappings) table[claim] ??= null;
  }
  for (const claim of oidc.claims_supported) table[claim] ??= null;
  return table;
}

function longestTokenMs({ oidc }: OidcSettings): number {
  const lives = oidc.clients.map(({ access_token_lifetime: life }) => life);
  return Math.max(oidc.tokens.default_access_token_lifetime, ...lives);
}

export function rotationRules(settings: OidcSettings): RotationRules {
  const { oidc } = settings;
  return {
    isRotated: oidc.auto_key_rotation,
    intervalMs: oidc.key_rotation_interval,
    publishMs: oidc.key_publish_delay,
    maxAgeMs: oidc.key_max_age,
    longestTokenMs: longestTokenMs(settings),
  };
}

export function noticeTimes({ oidc: { logout } }: OidcSettings): NoticeTimes {
  return {
    timeoutMs: logout.back_channel_timeout,
    firstDelayMs: logout.back_channel_retry_delay,
    longestDelayMs: logout.back_channel_retry_max_delay,
  };
}
