import type { Config } from "@postern/shared/config";
import type { FlowClient } from "../flow/flow-record.ts";
import type { BrowserSessionRecord } from "../sessions/browser-session-port.ts";
import { levelOfAcr } from "./acr.ts";
import { type ConfiguredLevels, type FactorLevels, levelNumber, levelsOf } from "./factor-levels.ts";

/** What an application asks of its users' second factors. */
export interface SignInDemands {
  /** Methods that its users must have set up. */
  readonly methods: readonly string[];
  /** Methods that it takes; empty: all. */
  readonly supported: readonly string[];
  /** 0: none. */
  readonly level: number;
  readonly levels: FactorLevels;
  /** For so long a factor that was shown counts; 0: as long as the session. */
  readonly freshSeconds: number;
}

/** A client or service provider, as far as it demands factors. */
export interface DemandingConfig {
  readonly require_mfa: readonly string[];
  readonly supported_mfa: readonly string[];
  readonly required_mfa_level: string;
  readonly mfa_policy: { readonly levels: ConfiguredLevels };
}

export type MfaPolicyConfig = Config["identity"]["mfa_policy"];

export function demandsOf(config: DemandingConfig, general: MfaPolicyConfig): SignInDemands {
  const { require_mfa: methods, supported_mfa: supported, required_mfa_level: level, mfa_policy } = config;
  const levels = levelsOf(general.levels, mfa_policy.levels);
  return {
    methods,
    supported,
    // Whoever demands that a factor is set up wants one shown.
    level: Math.max(levelNumber(level, levels), methods.length > 0 ? 1 : 0),
    levels,
    freshSeconds: Math.floor(general.freshness / 1000),
  };
}

/** The same for the flow of a sign-in. */
export function flowDemands(config: DemandingConfig, general: MfaPolicyConfig): Partial<FlowClient> {
  const { require_mfa: requireMfa, supported_mfa: supportedMfa, required_mfa_level: level } = config;
  return {
    mfaLevels: levelsOf(general.levels, config.mfa_policy.levels),
    ...(level !== "" && { requiredMfaLevel: level }),
    ...(requireMfa.length > 0 && { requireMfa }),
    ...(supportedMfa.length > 0 && { supportedMfa }),
  };
}

/** Whether a session shows enough, and lately, so that its user need not be asked. */
export function meetsDemands(
  { acr, mfaTs }: Pick<BrowserSessionRecord, "acr" | "mfaTs">,
  { level, levels, freshSeconds }: SignInDemands,
  nowSeconds: number,
): boolean {
  if (level === 0) return true;
  if (levelOfAcr(acr, levels) < level || mfaTs === undefined) return false;
  return freshSeconds === 0 || nowSeconds - mfaTs <= freshSeconds;
}
