import type { RiskConfig } from "../../platform/config/index.ts";
import type { RiskLevel, RiskSignal } from "./signals.ts";

export const riskModes = ["off", "observe", "enforce"] as const;
export type RiskMode = (typeof riskModes)[number];

/** What is done about a level, in the order in which it is done. */
export const riskResponses = ["notify", "delay", "second_factor", "hold_submission", "hold_mail", "deny"] as const;
export type RiskResponse = (typeof riskResponses)[number];

/** `auth.risk`, compiled. All times are minutes. */
export interface RiskSettings {
  readonly mode: RiskMode;
  readonly weights: Readonly<Record<RiskSignal, number>>;
  /** Scores from which a level begins. */
  readonly scores: Readonly<Record<Exclude<RiskLevel, "ordinary">, number>>;
  readonly responses: Readonly<Record<Exclude<RiskLevel, "ordinary">, ReadonlySet<RiskResponse>>>;
  readonly delayMs: number;
  readonly holdMinutes: number;
  readonly retentionMinutes: number;
  /** Time for which a new account is only learned. */
  readonly learningMinutes: number;
  /** Age from which a network without suspicious sign-ins is known. */
  readonly knownAfterMinutes: number;
  readonly travelKmPerHour: number;
  readonly countriesPerHour: number;
  readonly systemsPerHour: number;
  readonly submissionsPerHour: number;
  readonly submissionNetworks: number;
  readonly guessingNetworks: number;
  readonly sprayedAccounts: number;
  readonly strangeAccounts: number;
  /** Protocols that ask for a password only. */
  readonly legacyProtocols: ReadonlySet<string>;
  readonly submissionProtocols: ReadonlySet<string>;
}

const minutesOf = (ms: number): number => Math.ceil(ms / 60_000);

function responsesOf(names: readonly string[]): ReadonlySet<RiskResponse> {
  return new Set(riskResponses.filter((known) => names.includes(known)));
}

export function riskSettings(config: RiskConfig): RiskSettings {
  const { weights, suspicious, dangerous, limits } = config;
  return {
    mode: config.mode,
    weights,
    scores: { suspicious: suspicious.score, dangerous: dangerous.score },
    responses: { suspicious: responsesOf(suspicious.responses), dangerous: responsesOf(dangerous.responses) },
    delayMs: config.delay,
    holdMinutes: minutesOf(config.hold_for),
    retentionMinutes: minutesOf(config.retention),
    learningMinutes: minutesOf(config.learn_for),
    knownAfterMinutes: minutesOf(config.known_after),
    travelKmPerHour: limits.travel_speed,
    countriesPerHour: limits.countries_per_hour,
    systemsPerHour: limits.systems_per_hour,
    submissionsPerHour: limits.submissions_per_hour,
    submissionNetworks: limits.submission_networks,
    guessingNetworks: limits.guessing_networks,
    sprayedAccounts: limits.sprayed_accounts,
    strangeAccounts: limits.strange_accounts,
    legacyProtocols: new Set(config.legacy_protocols),
    submissionProtocols: new Set(config.submission_protocols),
  };
}
