import { keyRingFromConfig } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/platform/config";
import type { Logger } from "@postern/shared/platform/logging";
import { type ConsoleClaims, createConsoleClaims } from "../oidc/claims/console-claims.ts";
import type { DeviceCodes } from "../oidc/device/device.ts";
import type { DeviceLimits } from "../oidc/device/device-limits-redis.ts";
import type { CheckProof } from "../oidc/dpop/proof.ts";
import { createOidcMetrics, type OidcMetrics } from "../oidc/metrics/oidc-metrics.ts";
import type { ClientFault } from "../oidc/registered/register-client.ts";
import { type OidcSettings, oidcSettings } from "../oidc/settings/oidc-settings.ts";
import type { ResolveToken } from "../oidc/tokens/resolve-token.ts";
import { type AccountsFeature, createAccountsFeature } from "./oidc/accounts.ts";
import { type ClientsFeature, createClientsFeature } from "./oidc/clients.ts";
import { createDevices, deviceLimitsFor } from "./oidc/device.ts";
import { createGrantsFeature, type GrantsFeature } from "./oidc/grants.ts";
import { createLogoutFeature, type LogoutFeature } from "./oidc/logout.ts";
import type { OidcDeps, OidcParts } from "./oidc/parts.ts";
import { createProviderFeature, type ProviderFeature } from "./oidc/provider.ts";
import { createRegisteredFeature, type RegisteredFeature } from "./oidc/registered.ts";
import { createSessionsFeature, type SessionsFeature } from "./oidc/sessions.ts";
import { createStorageFeature, type StorageFeature } from "./oidc/storage.ts";
import { createProofCheck, createTokenResolver, createTokensFeature, type TokensFeature } from "./oidc/tokens.ts";

/** OIDC, built and not yet started. */
export interface OidcContext
  extends StorageFeature,
    AccountsFeature,
    GrantsFeature,
    TokensFeature,
    RegisteredFeature,
    ProviderFeature,
    SessionsFeature,
    LogoutFeature,
    ClientsFeature {
  readonly issuer: string;
  readonly identifier: string;
  readonly logger: Logger;
  readonly metrics: OidcMetrics;
  readonly resolve: ResolveToken;
  readonly checkProof: CheckProof;
  readonly consoleClaims: ConsoleClaims;
  readonly deviceLimits: DeviceLimits;
  readonly devices: DeviceCodes;
}

/** Undefined while `identity.oidc.enabled` is false. */
export function createOidcContext(config: Config, deps: OidcDeps): OidcContext | undefined {
  const initial = oidcSettings(config);
  const keys = keyRingFromConfig(config, "oidc");
  if (!initial.enabled || keys === undefined) return undefined;
  let settings = (): OidcSettings => initial;
  const counted = createOidcMetrics(deps.metrics, deps.metricsPrefix);
  const { prefix: keyPrefix } = config.storage.redis;
  const parts: OidcParts = { ...deps, counted, keyPrefix, keys, initial, settings: () => settings() };

  const storage = createStorageFeature(parts);
  const accounts = createAccountsFeature(parts);
  const grants = createGrantsFeature(parts, { ...storage, ...accounts });
  const tokens = createTokensFeature(parts, { ...storage, ...grants });
  const deviceLimits = deviceLimitsFor(parts);
  const faultOf: ClientFault = (registration) => provider.generations.current().faultOf(registration);
  const registered = createRegisteredFeature(parts, tokens, faultOf);
  const features = { ...storage, ...accounts, ...grants, ...tokens, ...registered, deviceLimits };
  const provider: ProviderFeature = createProviderFeature(parts, features);
  const { generations, schedule } = provider;
  settings = () => schedule.settings;
  const logout = createLogoutFeature(parts, features, generations);
  return {
    issuer: initial.issuer,
    identifier: initial.identifier,
    logger: deps.logger,
    metrics: counted,
    ...features,
    ...provider,
    ...createClientsFeature(parts, features, generations),
    resolve: createTokenResolver(parts, features, generations),
    checkProof: createProofCheck(parts, storage),
    consoleClaims: createConsoleClaims(config.runtime.console.client_id, parts.sessions),
    devices: createDevices(parts, features, generations),
    ...logout,
    ...createSessionsFeature(parts, { ...features, ...logout, generations }),
  };
}
