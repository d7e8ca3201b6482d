import type { Config, OidcClientConfig } from "@postern/shared/platform/config";
import type { FlowClient } from "../flow/flow-record.ts";
import type { BrowserSessionRecord } from "../sessions/browser-session.ts";
import { type FactorLevels, levelNumber, levelOfAcr, levelsOf } from "./factor-levels.ts";

/** What an application demands of its users' second factors. */
export interface SignInDemands {
  /** Methods that users must have set up. */
  readonly methods: readonly string[];
  /** Methods that it accepts; empty: all. */
  readonly supported: readonly string[];
  /** 0: none. */
  readonly level: number;
  readonly levels: FactorLevels;
  /** How long a verified factor counts; 0: for the whole session. */
  readonly freshSeconds: number;
}

/** The part of a client's or service provider's configuration that demands factors. */
type DemandingConfig = Pick<OidcClientConfig, "require_mfa" | "supported_mfa" | "required_mfa_level" | "mfa_policy">;

export type MfaPolicyConfig = Config["identity"]["mfa_policy"];

export function demandsOf(config: DemandingConfig, general: MfaPolicyConfig): SignInDemands {
  const { require_mfa: methods, supported_mfa: supported, required_mfa_level: level, mfa_policy } = config;
  const levels = levelsOf(general.levels, mfa_policy.levels);
  return {
    methods,
    supported,
    // An application that demands that a factor is set up also demands that one is used.
    level: Math.max(levelNumber(level, levels), methods.length > 0 ? 1 : 0),
    levels,
    freshSeconds: Math.floor(general.freshness / 1000),
  };
}

/** The demands as the flow of a sign-in keeps them. */
export function flowDemands(config: DemandingConfig, general: MfaPolicyConfig): Partial<FlowClient> {
  const { require_mfa: requireMfa, supported_mfa: supportedMfa, required_mfa_level: level } = config;
  return {
    mfaLevels: levelsOf(general.levels, config.mfa_policy.levels),
    ...(level !== "" && { requiredMfaLevel: level }),
    ...(requireMfa.length > 0 && { requireMfa }),
    ...(supportedMfa.length > 0 && { supportedMfa }),
  };
}

/** The demands of an application on an account whose domain requires a second factor. */
export function withAnyFactor(demands: SignInDemands): SignInDemands {
  return demands.level > 0 ? demands : { ...demands, level: 1 };
}

/** What the application of a flow demands. */
export type FlowDemands = Pick<FlowClient, "supportedMfa" | "requireMfa" | "requiredMfaLevel" | "mfaLevels">;

/** The demands on an account whose domain requires a second factor, in a flow. */
export function flowWithAnyFactor(client: FlowDemands | undefined): FlowDemands {
  return { requiredMfaLevel: "1", ...client };
}

/** Whether a session meets the demands, recently enough, so that its user need not prove more. */
export function meetsDemands(
  { acr, mfaTs, lostPhoneTs }: Pick<BrowserSessionRecord, "acr" | "mfaTs" | "lostPhoneTs">,
  { level, levels, freshSeconds }: SignInDemands,
  nowSeconds: number,
): boolean {
  if (level === 0) return true;
  const provedAt = mfaTs ?? lostPhoneTs;
  if (levelOfAcr(acr, levels) < level || provedAt === undefined) return false;
  return freshSeconds === 0 || nowSeconds - provedAt <= freshSeconds;
}
