import {
  backchannelAudience,
  type Config,
  type CustomScopeConfig,
  type OidcConfig,
} from "@postern/shared/platform/config";
import type { MfaPolicyConfig } from "../../login/sign-in-demands.ts";
import type { DeliveryTimes } from "../../logout-delivery/delivery-queue.ts";

/** The configuration that OIDC uses. */
export interface OidcSettings {
  readonly enabled: boolean;
  /** An origin, without a trailing slash. */
  readonly issuer: string;
  readonly oidc: OidcConfig;
  readonly identifier: string;
  /** Audience of clients' own tokens, by which the gateway accepts them as API callers' tokens. */
  readonly backchannelAudience: string;
  readonly developerMode: boolean;
  readonly mfaPolicy: MfaPolicyConfig;
}

export function oidcSettings(config: Config): OidcSettings {
  const { identity, runtime } = config;
  return {
    enabled: identity.oidc.enabled,
    issuer: identity.oidc.issuer,
    oidc: identity.oidc,
    identifier: runtime.naming.identifier,
    backchannelAudience: backchannelAudience(config),
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

/** Scopes that a token can have: the announced and the custom ones. */
export function allScopes({ oidc }: OidcSettings): readonly string[] {
  return [...new Set([...oidc.scopes_supported, ...customScopes(oidc).map(({ name }) => name)])];
}

/** Claims of each scope, and claims that only mappings provide. */
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

export function deliveryTimes({ oidc: { logout } }: OidcSettings): DeliveryTimes {
  return {
    timeoutMs: logout.back_channel_timeout,
    firstDelayMs: logout.back_channel_retry_delay,
    longestDelayMs: logout.back_channel_retry_max_delay,
  };
}

/** Members of discovery (Front-Channel Logout 1.0 §3, Back-Channel Logout 1.0 §2.1). */
export function logoutSupport({ oidc: { logout } }: OidcSettings): Readonly<Record<string, boolean>> {
  const { front_channel_supported: front, back_channel_supported: back } = logout;
  return {
    frontchannel_logout_supported: front,
    frontchannel_logout_session_supported: front && logout.front_channel_session_supported,
    backchannel_logout_supported: back,
    backchannel_logout_session_supported: back && logout.back_channel_session_supported,
  };
}
